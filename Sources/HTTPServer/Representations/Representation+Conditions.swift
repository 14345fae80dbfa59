extension Representation {
  /// Whether the client has `variant` already (RFC 9110 section 13.1.2). The tag of the very form that would be
  /// sent counts; the comparison is weak.
  func isNotModified(_ head: RequestHead, _ variant: Variant) -> Bool {
    guard let index = head.firstIndex(of: HeaderName.ifNoneMatch.folded) else { return false }
    // `*` is about whether there is a representation at all, with or without a tag.
    if variant.tag.isEmpty { return EntityTagCondition(head, .ifNoneMatch) == .any }
    // What most clients send: the tag as it came, in one line.
    if head.valueBytes(at: index).elementsEqual(variant.tag) { return true }
    switch EntityTagCondition(head, .ifNoneMatch) {
    case nil: return false
    case .any: return true
    case .tags(let tags):
      let opaque = variant.tag.dropFirst().dropLast()
      return tags.contains { $0.opaque.utf8.elementsEqual(opaque) }
    }
  }
}
