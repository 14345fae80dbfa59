internal import Expressions
internal import JSON
internal import TableModel

/// The items of a lookup's source by their keys: made once for each of the source's answers. Immutable.
final class LookupIndex: Sendable {
  /// The fingerprint of the content that the index was made of.
  private let content: Fingerprint
  private let original: SourceContent
  private let texts: ItemTexts
  /// The fingerprints of the items' bytes.
  private let fingerprints: [Fingerprint]
  /// The positions of items by key; the first item with a key has it.
  private let positions: [LookupKey: Int]
  /// The first problem with an item.
  let warning: String?

  /// - Throws: where the source's answer has no list of items, or an item in it is no JSON.
  /// - Complexity: O(bytes); where `previous` was made of the same answer, use that: ``isMade(of:)``.
  init(
    _ lookup: LookupPlan,
    _ content: SourceContent,
    variables: MappingVariables,
    workPerItem: Int
  ) throws(SourceFailure) {
    var making = Making(lookup, variables, workPerItem)
    if let items = content.items {
      making.budget.expect(items: items.count)
      for item in items { try making.take(item.bytes) }
    } else {
      for number in content.pages.indices { try making.take(page: number, of: content) }
    }
    self.content = Self.fingerprint(of: content)
    original = content
    (texts, fingerprints, positions) = (making.texts, making.fingerprints, making.positions)
    warning = making.warning
  }

  /// O(bytes), at the speed of hashing; of the very answer O(pages), or O(items) where they came one by one.
  func isMade(of content: SourceContent) -> Bool {
    original.isVery(content) || self.content == Self.fingerprint(of: content)
  }

  var count: Int { texts.count }

  func position(of key: LookupKey) -> Int? { positions[key] }

  func bytes(of position: Int) -> [UInt8] { texts.bytes(of: position) }

  /// All items as one list.
  var list: [UInt8] { texts.list(of: 0..<texts.count) }

  /// The keys under which something else is found than before. O(items of both).
  func changedKeys(since previous: LookupIndex?) -> Set<LookupKey> {
    guard let previous else { return Set(positions.keys) }
    var changed: Set<LookupKey> = []
    for (key, position) in positions {
      let before = previous.positions[key].map { previous.fingerprints[$0] }
      if before != fingerprints[position] { changed.insert(key) }
    }
    for key in previous.positions.keys where positions[key] == nil { changed.insert(key) }
    return changed
  }

  private static func fingerprint(of content: SourceContent) -> Fingerprint {
    var fingerprint = Fingerprint.empty
    for item in content.items ?? [] { fingerprint = fingerprint.combined(with: Fingerprint(of: item.bytes)) }
    guard content.items == nil else { return fingerprint }
    for page in content.pages { fingerprint = fingerprint.combined(with: Fingerprint(of: page)) }
    return fingerprint
  }

  /// An index in the making.
  private struct Making {
    let lookup: LookupPlan
    var scope: Scope
    var texts = ItemTexts()
    var fingerprints: [Fingerprint] = []
    var positions: [LookupKey: Int] = [:]
    var warning: String?
    /// The budget of all items, and of one after the other.
    var budget: MappingBudget
    private let work = Budget()
    private let workPerItem: Int

    init(_ lookup: LookupPlan, _ variables: MappingVariables, _ workPerItem: Int) {
      (self.lookup, scope, self.workPerItem) = (lookup, variables.scope, workPerItem)
      budget = MappingBudget(.max, workPerItem: workPerItem)
      scope.work = work
    }

    mutating func take(page number: Int, of content: SourceContent) throws(SourceFailure) {
      let items: PageItems
      do throws(JSONError) {
        items = try PageItems(ofPage: number, of: content, at: lookup.source.items, scope: scope)
      } catch {
        throw SourceFailure(error, page: number, of: content.pages.count)
      }
      switch items {
      case .list(let list):
        texts.begin(list.bytes)
        budget.expect(items: list.elements.count)
        let reader = ListReader(list)
        for (place, element) in list.elements.enumerated() {
          let value = try Self.parsed(ItemPlace(position: place, list: list, page: (number, content.pages.count))) {
            () throws(JSONError) in Value(try reader.unmanagedElement(place))
          }
          list.withBytes(of: place) { take(value, $0, at: element.range) }
          try checkWork()
        }
        withExtendedLifetime(reader) {}
      case .values(let values, let document):
        budget.expect(items: values.count)
        for value in values { try take(value.written) }
        withExtendedLifetime(document) {}
      }
    }

    mutating func take(_ item: [UInt8]) throws(SourceFailure) {
      texts.begin(item)
      let document = try Self.parsed(nil) { () throws(JSONError) in try Document(item) }
      let value = try Self.parsed(nil) { () throws(JSONError) in Value(try document.unmanagedRoot()) }
      item.withUnsafeBytes { take(value, $0, at: $0.indices) }
      withExtendedLifetime(document) {}
      try checkWork()
    }

    /// The service's own items are read whatever they cost.
    private func checkWork() throws(SourceFailure) {
      if budget.isExceeded, !lookup.source.isLocal { throw MappingBudget.failure(workPerItem) }
    }

    /// Items are parsed here for the first time: an answer is JSON as a whole, or it is none.
    private static func parsed<Result>(
      _ place: @autoclosure () -> ItemPlace?,
      _ parse: () throws(JSONError) -> Result
    ) throws(SourceFailure) -> Result {
      do throws(JSONError) { return try parse() } catch {
        throw SourceFailure(malformed: place(), because: "\(error)")
      }
    }

    private mutating func take(_ value: Value, _ bytes: UnsafeRawBufferPointer, at range: Range<Int>) {
      scope.item = value
      work.restart()
      defer { budget.charge(0, work: MappingBudget.work(work.spent, bytes: bytes.count)) }
      do throws(EvaluationError) {
        guard let key = LookupKey(try lookup.key.evaluate(in: scope)), positions[key] == nil else { return }
        positions[key] = texts.count
      } catch {
        if warning == nil { warning = "`lookups.\(lookup.name).key`: “\(lookup.key)”: \(error); not found by anything" }
        return
      }
      texts.append(range)
      fingerprints.append(Fingerprint(of: bytes))
    }
  }
}
