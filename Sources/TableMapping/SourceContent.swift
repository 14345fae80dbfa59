/// What a source has at the moment.
public struct SourceContent: Sendable {
  /// Whole responses, in order; empty for a local table.
  public var pages: [[UInt8]] = []
  /// Items one by one: those of a local table, with the identities that the service gave them, those that were fetched
  /// by a request each, or a response's with edits laid over them. Nil: they stand in the pages, where the source's
  /// `items` says.
  public var items: [SourceItem]?
  /// The source had more items than it may.
  public var isTruncated = false

  public init(pages: [[UInt8]] = [], items: [SourceItem]? = nil) { (self.pages, self.items) = (pages, items) }

  /// Responses, and the items in them.
  public static func pages(_ pages: [[UInt8]]) -> SourceContent { SourceContent(pages: pages) }

  /// Items without a response.
  public static func items(_ items: [SourceItem]) -> SourceContent { SourceContent(items: items) }

  /// The same responses, with other items in place of theirs: `$response` stays what it was.
  public func laying(over items: [SourceItem]) -> SourceContent {
    var content = self
    content.items = items
    return content
  }
}

/// One item by itself.
public struct SourceItem: Sendable {
  /// The identity that the service gave it; nil: it has only the one that `row.id` makes.
  public var id: String?
  /// One JSON value.
  public var bytes: [UInt8]

  public init(id: String? = nil, bytes: [UInt8]) {
    (self.id, self.bytes) = (id, bytes)
  }
}
