import Foundation

extension JSONText: Encodable {
  /// Encodes a value as JSON.
  public init(encoding value: some Encodable) throws {
    if let text = value as? JSONText { self = text } else { try self.init([UInt8](JSONEncoder().encode(value))) }
  }

  /// Encodes the value inside another one, member by member.
  ///
  /// - Throws: `EncodingError.invalidValue`, where it would become another one: for a number of more than 38 digits or
  ///   beyond the range of `Decimal`, and for an object with two members that are one name to Swift.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(JSONTree(self, in: encoder.codingPath))
  }
}

/// A JSON text, for encoders that want to know what it is made of.
private enum JSONTree: Encodable {
  case null
  case boolean(Bool)
  case number(Decimal)
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])

  init(_ json: JSONText, in path: [any CodingKey]) throws {
    func invalid(_ reason: String) -> EncodingError {
      .invalidValue(json, EncodingError.Context(codingPath: path, debugDescription: reason))
    }
    if json.isNull {
      self = .null
    } else if let text = json.string {
      self = .text(text)
    } else if let flag = json.boolean {
      self = .boolean(flag)
    } else if json.isObject {
      let members = try json.members.map { ($0.name, try JSONTree($0.value, in: path)) }
      let object = Dictionary(members) { _, last in last }
      guard object.count == members.count else { throw invalid("Two members of the object have one name.") }
      self = .object(object)
    } else if json.bytes.first == UInt8(ascii: "[") {
      self = .list(try json.elements.map { try JSONTree($0, in: path) })
    } else {
      guard let digits = NumberDigits(json.text), let value = Decimal(string: json.text),
        NumberDigits(value.description) == digits
      else { throw invalid("`\(json.text)` can't be encoded inside another value without changing it.") }
      self = .number(value)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

/// The value of a number as JSON writes it: two texts of one value are equal, `1.50` and `15e-1`.
private struct NumberDigits: Equatable {
  private var isNegative = false
  /// Without zeros at either end; empty for zero.
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var exponent = 0

  /// Nil where the text is no number, or its exponent beyond those of `Decimal`.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    var isFraction = false
    while let byte = rest.first, byte.isDigit || byte == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      digits.append(byte)
      if isFraction { exponent -= 1 }
    }
    guard !digits.isEmpty else { return nil }
    if let byte = rest.first {
      guard byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E"),
        let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self)), (-1000...1000).contains(power)
      else { return nil }
      exponent += power
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }
}
