public import JSON

/// The result of one refresh of a source.
public enum SourceUpdate: Sendable {
  /// Everything, whole: something may have changed.
  case content(FetchedContent)
  /// All is as it was in the last `content`.
  case unchanged
  /// The present items stay; the source will be asked again.
  case failed(UpstreamError)

  /// It was not asked, or not to the end: nobody asks it any more.
  public var isCancelled: Bool { if case .failed(.cancelled) = self { true } else { false } }

  public var isSuccess: Bool { if case .failed = self { false } else { true } }
}

/// The bodies of all responses that make up a source's content: JSON, checked to be whole and of the right shape.
public struct FetchedContent: Sendable {
  public var form: Form
  /// By page: where its items stand, which the check has found out; nil where an expression finds or makes them.
  public var lists: [ListedText?]
  /// Items in all.
  public var itemCount: Int
  /// `maxPages`, `maxItems` or the fan-out's `limit` ended it while there was more: its table says so (`truncated`).
  public var isTruncated: Bool

  public init(form: Form, lists: [ListedText?] = [], itemCount: Int, isTruncated: Bool = false) {
    (self.form, self.lists) = (form, lists)
    self.itemCount = itemCount
    self.isTruncated = isTruncated
  }

  public enum Form: Sendable {
    /// Response bodies in order; in each, the list of items stands where `items` says, without those that are too many.
    case pages([[UInt8]])
    /// One body for each item of the list, in the list's order; without those that the upstream no longer has.
    case items([[UInt8]])
  }
}
