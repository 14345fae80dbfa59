/// An entity tag (RFC 9110 section 8.8.3).
public struct EntityTag: Hashable, Sendable {
  /// What stands between the quotes.
  public let opaque: String
  public let isWeak: Bool

  /// Nil where `opaque` has a character that no entity tag can have.
  public init?(_ opaque: String, isWeak: Bool = false) {
    guard opaque.utf8.allSatisfy({ ByteClass.has($0, ByteClass.quotedTag) }) else { return nil }
    self.opaque = opaque
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

  /// Weak comparison, as `If-None-Match` asks for: what stands between the quotes is the same.
  public func matchesWeakly(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.opaque == tag.opaque }
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
    var rest = value
    while let first = rest.first {
      if first == 0x20 || first == 0x09 || first == UInt8(ascii: ",") {
        rest.removeFirst()
        continue
      }
      let isWeak = rest.starts(with: "W/\"".utf8)
      let open = isWeak ? rest.startIndex + 2 : rest.startIndex
      if rest[open] == UInt8(ascii: "\""), let close = rest[(open + 1)...].firstIndex(of: UInt8(ascii: "\"")) {
        if let tag = EntityTag(String(decoding: rest[(open + 1)..<close], as: UTF8.self), isWeak: isWeak) {
          tags.append(tag)
        }
        rest = rest[(close + 1)...]
      } else {
        rest = rest.firstIndex(of: UInt8(ascii: ",")).map { rest[($0 + 1)...] } ?? []
      }
    }
  }
}
