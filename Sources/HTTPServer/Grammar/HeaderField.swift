/// One header field of a response.
public struct HeaderField: Hashable, Sendable {
  public let name: HeaderName
  public let value: String

  /// Bytes that a field value can't carry (RFC 9110 section 5.5: CR, LF, NUL and the other controls) become blanks, and
  /// blanks at both ends are left out, so that no value can end its line and begin another.
  public init(_ name: HeaderName, _ value: String) {
    self.name = name
    let bytes = value.utf8
    if bytes.allSatisfy({ ByteClass.has($0, ByteClass.fieldValue) }), bytes.first != 0x20, bytes.last != 0x20 {
      self.value = value
      return
    }
    var clean = bytes.map { ByteClass.has($0, ByteClass.fieldValue) ? $0 : 0x20 }[...]
    while clean.last == 0x20 || clean.last == 0x09 { clean.removeLast() }
    while clean.first == 0x20 || clean.first == 0x09 { clean.removeFirst() }
    self.value = String(decoding: clean, as: UTF8.self)
  }

  /// The length of its line, in bytes.
  var lineLength: Int { name.description.utf8.count + value.utf8.count + 4 }

  /// Appends the field as one line of a header section.
  func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(contentsOf: ": ".utf8)
    bytes.append(contentsOf: value.utf8)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
