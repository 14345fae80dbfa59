internal import Definitions
internal import Expressions
internal import JSON

/// The items of a source with `since`, and the effect of changes on them. A value; pure.
struct ChangedItems: Sendable {
  /// The value of `$since` in the next request for changes.
  private(set) var next: JSONValue
  private var items: [Item]
  /// The first page that was answered with everything: changes are put into it, where its list can be found.
  private let frame: ListedText?
  /// Items were left away.
  private(set) var isTruncated: Bool
  /// The items that were delivered last: the next are compared with them.
  private var delivered: ListedText?
  /// Of all items: as much as one document may have.
  private static let maximumBytes = JSONLimits().maximumBytes

  fileprivate struct Item: Sendable {
    /// Nil: no change can name it.
    var key: Key?
    var bytes: [UInt8]
  }

  /// To the byte: texts that look alike are two.
  fileprivate struct Key: Hashable, Sendable {
    let bytes: [UInt8]

    init?(_ value: Value) {
      guard let text = value.text else { return nil }
      bytes = Array(text.utf8)
    }
  }

  /// The items to be shown.
  struct Delivery: Sendable {
    var form: FetchedContent.Form
    var lists: [ListedText?]
    var count: Int
  }

  /// How the items of pages are read.
  struct Reading: Sendable {
    let definition: UpstreamDefinition
    let since: SinceDefinition
    let check: ResponseCheck

    /// - Throws: where an expression fails.
    fileprivate func items(of page: ResponseCheck.Text) throws -> [(item: Item, isGone: Bool)] {
      var items: [(Item, Bool)] = []
      let common = check.context.scope
      let read = { (value: Value, bytes: [UInt8]) throws in
        var scope = common
        scope.item = value
        scope.work = Budget(ofResponse: bytes.count)
        let isGone = try since.deleted?.isTrue(in: scope) ?? false
        items.append((Item(key: Key(try since.key.evaluate(in: scope)), bytes: bytes), isGone))
      }
      if let list = page.list, list.elements.count == list.count {
        for place in list.elements.indices {
          let bytes = list.withBytes(of: place) { Array($0) }
          try Document(bytes).withRoot { try read(Value($0), bytes) }
        }
      } else {
        _ = try check.forEachItem(of: page.body, items: definition.items, atMost: .max) { value in
          try read(value, JSONValue(value).bytes)
        }
      }
      return items
    }
  }

  // MARK: Everything

  /// - Parameter next: what the pages say, or their date.
  /// - Returns: nil as a delivery where the pages are to be shown as they are.
  /// - Complexity: O(bytes).
  static func everything(
    _ pages: [ResponseCheck.Text],
    next: JSONValue,
    isTruncated: Bool,
    _ reading: Reading
  ) throws -> (ChangedItems, Delivery?) {
    var (items, hasGone): ([Item], Bool) = ([], false)
    for page in pages {
      for (item, isGone) in try reading.items(of: page) {
        if isGone { hasGone = true } else { items.append(item) }
      }
    }
    var content = ChangedItems(
      next: next,
      items: items,
      frame: pages.first?.list,
      isTruncated: isTruncated,
      delivered: pages.count == 1 ? pages[0].list : nil
    )
    return (content, hasGone ? try content.delivery() : nil)
  }

  private init(next: JSONValue, items: [Item], frame: ListedText?, isTruncated: Bool, delivered: ListedText?) {
    (self.next, self.items, self.frame) = (next, items, frame)
    (self.isTruncated, self.delivered) = (isTruncated, delivered)
  }

  /// Nothing has changed, but for what is asked with next.
  mutating func goOn(with next: JSONValue) { self.next = next }

  // MARK: Changes

  /// Puts changed items in the places of those that they were, new ones at the end, and takes away what is gone.
  ///
  /// - Parameter limit: of items: what is over it at the end is left away.
  /// - Returns: what is to be shown; nil: nothing has changed. `unnamed`: changes that name no item.
  /// - Complexity: O(bytes of all) where something has changed, else O(bytes of the changes).
  mutating func lay(
    _ pages: [ResponseCheck.Text],
    next: JSONValue,
    atMost limit: Int,
    _ reading: Reading
  ) throws -> (delivery: Delivery?, unnamed: Int) {
    self.next = next
    var changes: [Key: Item?] = [:]
    var (order, unnamed): ([Key], Int) = ([], 0)
    for page in pages {
      for (item, isGone) in try reading.items(of: page) {
        guard let key = item.key else {
          unnamed += 1
          continue
        }
        // Of several changes of one item the last counts.
        if changes.updateValue(isGone ? nil : item, forKey: key) == nil { order.append(key) }
      }
    }
    guard !changes.isEmpty else { return (nil, unnamed) }
    var (laid, isOther): ([Item], Bool) = ([], false)
    laid.reserveCapacity(items.count + changes.count)
    var known: Set<Key> = []
    for item in items {
      guard let key = item.key, let change = changes[key] else {
        laid.append(item)
        continue
      }
      // A second one of the same key goes: it would be the same.
      guard known.insert(key).inserted, let changed = change else {
        isOther = true
        continue
      }
      if changed.bytes != item.bytes { isOther = true }
      laid.append(changed)
    }
    for key in order where !known.contains(key) {
      guard case .some(.some(let item)) = changes[key] else { continue }
      isOther = true
      laid.append(item)
    }
    if laid.count > limit {
      laid.removeLast(laid.count - limit)
      isTruncated = true
    }
    // Changes come in answers of bounded size, and are kept for as long as everything is not asked for.
    let count = laid.reduce(0) { $0 + $1.bytes.count }
    guard count <= Self.maximumBytes else {
      throw JSONError(.limit, "with these changes there are more than \(Self.maximumBytes >> 20) MB of items")
    }
    items = laid
    return (isOther ? try delivery() : nil, unnamed)
  }

  private mutating func delivery() throws -> Delivery {
    let bytes = items.map(\.bytes)
    guard let frame else { return Delivery(form: .items(bytes), lists: [], count: items.count) }
    let body = frame.replacingElements(with: bytes)
    let list = try ListedText(body, at: frame.path, after: delivered)
    delivered = list
    return Delivery(form: .pages([body]), lists: [list], count: items.count)
  }
}
