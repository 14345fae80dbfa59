extension Representation {
  /// Returns whether the client's `If-Match` holds (RFC 9110 section 13.1.1): it has the tag of one of this
  /// representation's forms, strongly. All forms say the same, so a client that knows the version need not know how the
  /// reply would have been coded.
  func isMatched(_ head: RequestHead) -> Bool {
    switch EntityTagCondition(head, .ifMatch) {
    case nil, .any: true
    case .tags where hasWeakTag: false
    case .tags(let tags):
      entityTag.map { opaque in
        let forms = ContentCoding.allCases.map { Array((opaque + $0.tagSuffix).utf8) }
        return tags.contains { tag in
          !tag.isWeak && forms.contains { $0.count == tag.opaque.utf8.count && $0.elementsEqual(tag.opaque.utf8) }
        }
      } ?? false
    }
  }

  /// The answer to a request whose `If-Match` doesn't hold, with the tag that would.
  func preconditionFailed(_ variant: Variant) -> Response {
    .problem(
      .preconditionFailed,
      detail: "What stands here now is another version than the one that If-Match asks for.",
      headers: variant.notModified.fields.filter { $0.name == .etag || $0.name == .vary }
    )
  }

  /// Returns whether the client has `variant` already (RFC 9110 section 13.1.2). The tag of the very form that would be
  /// sent counts; the comparison is weak.
  func isNotModified(_ head: RequestHead, _ variant: Variant) -> Bool {
    guard let index = head.firstIndex(of: HeaderName.ifNoneMatch.folded) else { return false }
    // `*` is about whether there is a representation at all, with or without a tag.
    if variant.tag.isEmpty { return EntityTagCondition(head, .ifNoneMatch) == .any }
    // Most clients send the tag as it came, in one line.
    if head.valueBytes(at: index).elementsEqual(variant.tag) { return true }
    switch EntityTagCondition(head, .ifNoneMatch) {
    case nil: return false
    case .any: return true
    case .tags(let tags):
      let opaque = variant.tag.dropFirst(hasWeakTag ? 3 : 1).dropLast()
      return tags.contains { $0.opaque.utf8.count == opaque.count && $0.opaque.utf8.elementsEqual(opaque) }
    }
  }
}
