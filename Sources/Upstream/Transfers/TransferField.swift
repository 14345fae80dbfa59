internal import Definitions

/// One header field (RFC 9110 section 5). A name or value that could end the line, or the header, can't be made.
public struct TransferField: Hashable, Sendable {
  public let name: String
  public let value: String

  /// - Returns: nil where `name` is no token, or `value` contains a control character other than tab
  ///   (RFC 9110 section 5.5). Whitespace around the value is dropped.
  public init?(_ name: String, _ value: String) {
    let trimmed = value.trimmingWhitespace
    guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter),
      trimmed.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
    else { return nil }
    (self.name, self.value) = (name, trimmed)
  }

  private init(trustedName: String, value: String) { (self.name, self.value) = (trustedName, value) }

  static func acceptJSON() -> TransferField {
    TransferField(trustedName: "Accept", value: "application/json, */*;q=0.5")
  }

  /// Nil: any, but JSON first.
  static func accept(_ format: SourceFormat?) -> TransferField {
    let types =
      switch format {
      case .json, nil: "application/json"
      case .ndjson: "application/x-ndjson, application/json;q=0.9"
      case .csv: "text/csv"
      case .feed: "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9"
      }
    return TransferField(trustedName: "Accept", value: "\(types), */*;q=0.5")
  }

  static func contentTypeForm() -> TransferField {
    TransferField(trustedName: "Content-Type", value: "application/x-www-form-urlencoded")
  }

  static func contentTypeJSON() -> TransferField {
    TransferField(trustedName: "Content-Type", value: "application/json")
  }

  func isNamed(_ other: String) -> Bool { name.equalsIgnoringCase(other) }
}

extension [TransferField] {
  /// The first value of the fields with this name, in any case.
  public func first(named name: String) -> String? { first { $0.isNamed(name) }?.value }

  /// All values of the fields with this name, joined as RFC 9110 section 5.3 allows for lists.
  public func list(named name: String) -> String? {
    let values = filter { $0.isNamed(name) }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}

extension UInt8 {
  /// `tchar` of RFC 9110 section 5.6.2.
  var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}

extension String {
  var trimmingWhitespace: String {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }), let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }

  func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}

extension UInt8 {
  var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
