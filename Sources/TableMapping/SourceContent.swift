public import JSON

/// What a source has at the moment.
public struct SourceContent: Sendable {
  /// Whole responses, in order; empty for a local table.
  public private(set) var pages: [[UInt8]] = []
  /// By page: where its items stand, if whoever checked it has found that out.
  private(set) var lists: [ListedText?] = []
  /// Items one by one: those of a local table, with the identities that the service gave them, those that were fetched
  /// by a request each, or a response's with edits laid over them. Nil: they stand in the pages, where the source's
  /// `items` says.
  public var items: [SourceItem]?
  /// The source had more items than it may.
  public var isTruncated = false

  public init(pages: [[UInt8]] = [], items: [SourceItem]? = nil) { (self.pages, self.items) = (pages, items) }

  /// Responses, and the items in them.
  public static func pages(_ pages: [[UInt8]]) -> SourceContent { SourceContent(pages: pages) }

  /// Responses that have been read as far as where their items stand.
  ///
  /// - Parameter lists: by page; nil where that was not asked.
  public static func pages(_ pages: [[UInt8]], lists: [ListedText?]) -> SourceContent {
    var content = SourceContent(pages: pages)
    content.lists = lists
    return content
  }

  /// Where the items of a page stand, in the list at a path.
  ///
  /// - Parameter previous: the page as it was before.
  /// - Throws, complexity: as for a ``ListedText``; O(1) where it has been found out before.
  func list(ofPage number: Int, at path: JSONPath, after previous: ListedText?) throws(JSONError) -> ListedText {
    if lists.indices.contains(number), let list = lists[number], list.path == path { return list }
    return try ListedText(pages[number], at: path, after: previous)
  }

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
