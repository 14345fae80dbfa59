internal import Expressions
internal import JSON

extension SourceReader {
  /// Reads a page whose text was begun.
  mutating func read(page number: Int) throws(JSONError) {
    let before = previous.flatMap { number < $0.lists.count ? $0.lists[number] : nil }
    switch try PageItems(ofPage: number, of: content, at: source.items, after: before?.text, scope: scope) {
    case .values(let values, let document):
      lists.append(nil)
      expect(items: values.count)
      for value in values where !isOverBudget { appendWritten(value) }
      withExtendedLifetime(document) {}
    case .list(let list):
      lists.append(CachedSource.CachedList(text: list, start: items.count))
      reserveCapacity(items.count + list.elements.count)
      expect(items: list.elements.count)
      if let previous, let before, list.follows(before.text) {
        read(list, after: before, of: previous)
      } else if previous == nil, ParallelMapping.isWorthwhile(for: list) {
        let mapping = ParallelMapping(source: source, plan: plan, elements: .list(list), start: items.count)
        append(mapping.run(scope: scope, lookups: lookups, budget: budget), at: list.elements.lazy.map(\.range))
      } else {
        let reader = mapper.reader(of: list)
        for element in list.elements.indices where !isOverBudget { append(element, of: reader, in: list) }
      }
    }
  }

  /// Reads a list whose elements have been compared with those of the last time.
  private mutating func read(_ list: ListedText, after before: CachedSource.CachedList, of previous: CachedSource) {
    let reader = mapper.reader(of: list)
    // With several pages, items go from one to another.
    if content.pages.count == 1 { seek(only: list.placesLeft(of: before.text), of: previous) }
    for element in list.elements.indices where !isOverBudget {
      if let origin = list.origin(of: element), isUsable(before.start + origin, of: previous) {
        take(before.start + origin, of: previous, at: list.elements[element].range)
      } else {
        append(element, of: reader, in: list)
      }
    }
  }

  /// An item that an expression finds or makes is written out.
  private mutating func appendWritten(_ value: Value) {
    let text = value.written
    begin(text: text)
    text.withUnsafeBytes { bytes in
      if !reuse(bytes, at: bytes.indices, givenID: nil) { append(at: bytes.indices, value) }
    }
  }
}
