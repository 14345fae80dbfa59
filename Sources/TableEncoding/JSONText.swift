internal import JSON

/// JSON text that is made once and written often.
enum JSONText {
  static func encoded(_ string: String) -> [UInt8] { JSONValue.string(string).bytes }
}
