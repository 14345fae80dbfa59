/// An entity tag (RFC 9110 section 8.8.3).
public struct EntityTag: Hashable, Sendable {
  /// The text between the quotes.
  public let opaque: String
  public let isWeak: Bool

  /// Nil where `opaque` has a character that no entity tag can have.
  public init?(_ opaque: String, isWeak: Bool = false) {
    guard opaque.utf8.allSatisfy({ ByteClass.has($0, ByteClass.quotedTag) }) else { return nil }
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// Takes the text between quotes that a client has sent.
  fileprivate init?(opaque bytes: UnsafeBufferPointer<UInt8>, isWeak: Bool) {
    guard bytes.allSatisfy({ ByteClass.has($0, ByteClass.quotedTag) }) else { return nil }
    opaque = String(decoding: bytes, as: UTF8.self)
    self.isWeak = isWeak
  }

  /// As in a header field: `"opaque"` or `W/"opaque"`.
  public var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110 sections 13.1.1 and 13.1.2).
public enum EntityTagCondition: Hashable, Sendable {
  /// `*`: any representation at all.
  case any
  case tags([EntityTag])

  /// Strong comparison, as `If-Match` asks for: neither side is weak.
  public func matchesStrongly(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): !tag.isWeak && tags.contains(tag)
    }
  }
}

extension Request {
  /// The condition in `If-Match`; nil where there is none. What is not an entity tag matches nothing.
  public var ifMatch: EntityTagCondition? { EntityTagCondition(head, HeaderName.ifMatch) }

  /// The condition in `If-None-Match`; nil where there is none.
  public var ifNoneMatch: EntityTagCondition? { EntityTagCondition(head, HeaderName.ifNoneMatch) }
}

extension EntityTagCondition {
  init?(_ head: RequestHead, _ name: HeaderName) {
    let indices = head.indices(of: name.folded)
    guard !indices.isEmpty else { return nil }
    var tags: [EntityTag] = []
    for index in indices {
      let value = head.valueBytes(at: index)
      if value.count == 1, value.first == UInt8(ascii: "*") {
        self = .any
        return
      }
      EntityTagCondition.append(value, to: &tags)
    }
    self = .tags(tags)
  }

  /// Appends the tags of a list. Commas may stand within a tag, so that this is no `FieldList`; reading goes on
  /// behind the next comma after what is no tag.
  private static func append(_ value: ArraySlice<UInt8>, to tags: inout [EntityTag]) {
    value.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        let first = bytes[index]
        if first == 0x20 || first == 0x09 || first == UInt8(ascii: ",") {
          index += 1
          continue
        }
        let isWeak =
          first == UInt8(ascii: "W") && index + 2 < bytes.count && bytes[index + 1] == UInt8(ascii: "/")
          && bytes[index + 2] == UInt8(ascii: "\"")
        let open = isWeak ? index + 2 : index
        if bytes[open] == UInt8(ascii: "\""), let close = place(of: UInt8(ascii: "\""), in: bytes, from: open + 1) {
          let opaque = UnsafeBufferPointer(rebasing: bytes[(open + 1)..<close])
          if let tag = EntityTag(opaque: opaque, isWeak: isWeak) { tags.append(tag) }
          index = close + 1
        } else {
          index = place(of: UInt8(ascii: ","), in: bytes, from: index).map { $0 + 1 } ?? bytes.count
        }
      }
    }
  }

  private static func place(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count, bytes[index] != byte { index += 1 }
    return index < bytes.count ? index : nil
  }
}
