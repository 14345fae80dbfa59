internal import Expressions
public import JSON
internal import Synchronization

/// The present content of a source.
public struct SourceContent: Sendable {
  /// Whole responses, in order; empty for a local table.
  public private(set) var pages: [[UInt8]] = []
  /// By page: where its items stand, if whoever checked it has found that out.
  private(set) var lists: [ListedText?] = []
  /// Items one by one: those that were fetched by a request each, or a response's with edits laid over them.
  private var given: [SourceItem]?
  /// Items that the service owns.
  private var own: OwnContent?
  /// The edits of the list of the only response, whose items no expression makes (``MappingResult/edits(of:in:)``).
  /// `$response` stays what it was.
  public var edits: ListEdits?
  /// The source had more items than it may.
  public var isTruncated = false
  /// The mappings that all tables with this answer share; nil where one table alone has it.
  public var shared: SharedMappings?

  public init(pages: [[UInt8]] = [], items: [SourceItem]? = nil) { (self.pages, given) = (pages, items) }

  /// The items that the service owns; nil: it owns none of them.
  var owned: (any OwnedItems)? { own?.list }

  /// True if items are given one by one; else they stand in the pages, where the source's `items` says.
  var areGiven: Bool { given != nil || own != nil }

  /// The items, where they are given one by one. O(items) the first time for those that the service owns.
  var items: [SourceItem]? { given ?? own?.items }

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

  /// The length of the responses, in bytes. O(responses).
  public var byteCount: Int { pages.reduce(0) { $0 + $1.count } }

  /// Returns the items of a page, in the list at a path.
  ///
  /// - Parameter previous: the page as it was before.
  /// - Throws, complexity: as for a ``ListedText``; O(1) where it has been found out before.
  func list(ofPage number: Int, at path: JSONPath, after previous: ListedText?) throws(JSONError) -> ListedText {
    if lists.indices.contains(number), let list = lists[number], list.path == path { return list }
    return try ListedText(pages[number], at: path, after: previous)
  }

  /// The same, with where the items stand: by page.
  func knowing(_ lists: [ListedText?]) -> SourceContent {
    var content = self
    content.lists = lists
    return content
  }

  /// Items without a response.
  public static func items(_ items: [SourceItem]) -> SourceContent { SourceContent(items: items) }

  /// Items that the service owns. O(1).
  public static func owned(_ items: any OwnedItems) -> SourceContent {
    var content = SourceContent()
    content.own = OwnContent(items)
    return content
  }

  /// Returns whether both are the same one in memory.
  func isVery(_ other: SourceContent) -> Bool {
    guard pages.count == other.pages.count, given?.count == other.given?.count, edits == other.edits,
      (own == nil) == (other.own == nil), own?.isVery(other.own) ?? true
    else { return false }
    return zip(pages, other.pages).allSatisfy { $0.isVery($1) }
      && zip(given ?? [], other.given ?? []).allSatisfy { $0.id == $1.id && $0.bytes.isVery($1.bytes) }
  }

  /// The same responses, with other items in place of theirs: `$response` stays what it was.
  public func laying(over items: [SourceItem]) -> SourceContent {
    var content = self
    (content.given, content.edits) = (items, nil)
    return content
  }

  /// The same with all items one by one, where edits have made others of them than their response says. O(bytes).
  func settled(of source: MappingPlan.SourcePlan) -> SourceContent {
    guard let edits, !areGiven, pages.count == 1,
      let list = try? list(ofPage: 0, at: source.items?.documentPath ?? [], after: nil)
    else { return self }
    let all = edits.laid { place in list.withBytes(of: place) { Array($0) } }
    return laying(over: all.map { SourceItem(bytes: $0) })
  }
}

/// The service's own items, which are listed once, when all of them are mapped.
private final class OwnContent: Sendable {
  let list: any OwnedItems
  private let listed = Mutex<[SourceItem]?>(nil)

  init(_ list: any OwnedItems) { self.list = list }

  var items: [SourceItem] {
    listed.withLock { listed in
      let items = listed ?? list.owned.map { SourceItem($0) }
      listed = items
      return items
    }
  }

  /// Returns whether others are the same ones. O(differences · log items) for what follows from them.
  func isVery(_ other: OwnContent?) -> Bool {
    self === other || other.flatMap { list.changes(since: $0.list, atMost: 0) }?.isEmpty == true
  }
}

/// One item by itself.
public struct SourceItem: Sendable {
  /// The identity that the service gave it; nil: it has only the one that `row.id` makes.
  public var id: String?
  /// One JSON value.
  public var bytes: [UInt8]
  /// The number and the rank of an item that the service owns.
  private(set) var owned: (number: UInt64, rank: Int64)?

  /// One that the service owns.
  init(_ item: OwnedItem) {
    (id, bytes, owned) = (item.id, item.bytes, (item.number, item.rank))
  }

  public init(id: String? = nil, bytes: [UInt8]) {
    (self.id, self.bytes) = (id, bytes)
  }
}

extension [UInt8] {
  /// Returns whether both are the same one in memory. O(1).
  func isVery(_ other: [UInt8]) -> Bool {
    count == other.count
      && withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.baseAddress == $0.baseAddress } }
  }
}
