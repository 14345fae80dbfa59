/// The meaning of a scalar by YAML 1.2's core schema (§10.3.2): `yes`, `on` and `12:30` are text, as everyone expects.
enum ResolvedScalar: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// Above `Int.max`.
  case unsigned(UInt64)
  case number(Double)
  case string
}

extension YAMLScalar {
  var resolved: ResolvedScalar {
    guard isPlain else { return .string }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .boolean(true)
    case "false", "False", "FALSE": return .boolean(false)
    default: return number ?? .string
    }
  }

  /// Be it too large for `Int`.
  var isWholeNumber: Bool {
    switch resolved {
    case .integer, .unsigned: true
    case .number: text.allSatisfy { $0.isNumber || $0 == "-" || $0 == "+" }
    case .null, .boolean, .string: false
    }
  }

  private var number: ResolvedScalar? {
    let bytes = text.utf8
    guard let first = bytes.first, first < 0x3A else { return nil }
    if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16).map(ResolvedScalar.integer) }
    if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8).map(ResolvedScalar.integer) }
    let isDecimal = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isDecimal else { return nil }
    if let integer = Int(text) { return .integer(integer) }
    if let unsigned = UInt64(text) { return .unsigned(unsigned) }
    return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
  }
}
