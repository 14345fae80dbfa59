internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// Reads the items of one source: takes from the cache what has not changed, and maps the rest.
struct SourceReader {
  private(set) var items: [MappedItem] = []
  private var texts = ItemTexts()
  private var fingerprints: [Fingerprint] = []
  private var envelopes: [Envelope?] = []
  private(set) var firstResponse: Document?
  /// Of whole responses, where expressions read them.
  let responses: Fingerprint
  private let source: TablePlan.SourcePlan
  private let plan: TablePlan
  private let previous: CachedSource?
  private var mapping: ItemMapping
  private var scope: Scope
  /// Where the next item stood the last time, if nothing moved.
  private var expected = 0

  /// The answer is not what the configuration says that it is.
  struct Failure: Error {
    var detail: String
  }

  init(
    source: TablePlan.SourcePlan,
    plan: TablePlan,
    previous: CachedSource?,
    scope: Scope,
    content: SourceContent
  ) {
    (self.source, self.plan) = (source, plan)
    mapping = ItemMapping(plan: plan)
    self.scope = scope
    var responses = Fingerprint.empty
    if plan.readsResponse, case .pages(let pages) = content {
      for page in pages { responses = responses.combined(with: Fingerprint(of: page)) }
    }
    self.responses = responses
    let isUsable = !plan.dependencies.contains(.response) || previous?.responses == responses
    self.previous = isUsable ? previous : nil
    reserveCapacity(previous?.items.count ?? 0)
  }

  private mutating func reserveCapacity(_ count: Int) {
    items.reserveCapacity(count)
    texts.reserveCapacity(count)
    fingerprints.reserveCapacity(count)
  }

  /// To be given to the next mapping.
  var cached: CachedSource {
    CachedSource(
      items: items,
      texts: texts,
      fingerprints: fingerprints,
      responses: responses,
      envelopes: envelopes
    )
  }

  mutating func read(_ content: SourceContent) throws(Failure) {
    switch content {
    case .items(let given):
      for item in given {
        texts.begin(item.bytes)
        item.bytes.withUnsafeBytes { bytes in
          if !reuse(bytes, at: bytes.indices, givenID: item.id) {
            _ = mapApart(bytes, at: bytes.indices, givenID: item.id)
          }
        }
      }
    case .pages(let pages):
      for (number, page) in pages.enumerated() {
        do throws(JSONError) {
          texts.begin(page)
          if try !compare(page, number: number) { try read(page: page) }
        } catch {
          let which = pages.count > 1 ? "page \(number + 1): " : ""
          throw Failure(detail: "\(which)\(error); `items` says where the list stands")
        }
      }
    }
  }

  /// Compares a page with the items of the last one, where it has the same envelope and most of them; only what
  /// is new is parsed. False where it has to be read as a whole: nothing was taken from it then.
  private mutating func compare(_ page: [UInt8], number: Int) throws(JSONError) -> Bool {
    guard let previous, !plan.readsResponse, number < previous.envelopes.count,
      let envelope = previous.envelopes[number]
    else { return false }
    let (count, place) = (items.count, expected)
    let isRead = page.withUnsafeBytes { bytes in
      ListScanner(bytes, envelope).map { scanner in compare(scanner, bytes, with: previous) } ?? false
    }
    if isRead {
      envelopes.append(envelope)
      return true
    }
    items.removeLast(items.count - count)
    texts.removeLast(texts.count - count)
    fingerprints.removeLast(fingerprints.count - count)
    expected = place
    return false
  }

  private mutating func compare(
    _ scanner: ListScanner,
    _ bytes: UnsafeRawBufferPointer,
    with previous: CachedSource
  ) -> Bool {
    var scanner = scanner
    // Reading as a whole is faster a byte: it is better where much is new.
    var budget = bytes.count / 16 + 4096
    let readsIndex = plan.dependencies.contains(.index)
    while !scanner.isAtEnd {
      if expected < previous.items.count, !readsIndex || expected == items.count,
        previous.items[expected].givenID == nil,
        let range = previous.texts.withBytes(of: expected, { scanner.take($0) })
      {
        take(expected, of: previous, at: range)
      } else {
        guard let range = scanner.takeNext() else { return false }
        budget -= range.count
        guard budget >= 0 else { return false }
        let item = UnsafeRawBufferPointer(rebasing: bytes[range])
        if !reuse(item, at: range, givenID: nil), !mapApart(item, at: range, givenID: nil) { return false }
      }
      guard scanner.separate() else { return false }
    }
    return true
  }

  private mutating func read(page: [UInt8]) throws(JSONError) {
    let document = try Document(page)
    if plan.readsResponse {
      if firstResponse == nil { firstResponse = document }
      scope.response = Value(try document.unmanagedRoot())
    }
    if let items = source.items, items.documentPath == nil {
      envelopes.append(nil)
      return try read(document, items)
    }
    let elements = try document.elements(at: source.items?.documentPath ?? [])
    if let first = elements.first, let last = elements.last {
      envelopes.append(Envelope(of: page, items: first.range.lowerBound..<last.range.upperBound))
    } else {
      envelopes.append(nil)
    }
    reserveCapacity(items.count + elements.count)
    for element in elements {
      document.withBytes(of: element) { bytes in
        if reuse(bytes, at: element.range, givenID: nil) { return }
        do throws(JSONError) {
          let view = try document.unmanagedElement(element)
          append(bytes, at: element.range, Value(view), givenID: nil)
        } catch {
          appendMalformed(bytes, at: element.range, error, givenID: nil)
        }
      }
    }
    withExtendedLifetime(document) {}
  }

  /// Items that an expression finds or makes: written out one by one.
  private mutating func read(_ document: Document, _ expression: Expression) throws(JSONError) {
    var scope = scope
    let root = Value(try document.unmanagedRoot())
    (scope.item, scope.response) = (root, root)
    let list: Value
    do throws(EvaluationError) {
      list = try expression.evaluate(in: scope)
    } catch {
      throw JSONError(.mismatch, "“\(expression)”: \(error)")
    }
    switch list {
    case .array(let values):
      for value in values { appendWritten(value) }
    case .json(let view) where view.kind == .array:
      for element in view.elements { appendWritten(Value(element)) }
    case .null, .bool, .integer, .unsigned, .number, .string, .text, .json, .object:
      throw JSONError(.mismatch, "“\(expression)” is \(list.sample); a list is expected")
    }
    withExtendedLifetime(document) {}
  }

  private mutating func appendWritten(_ value: Value) {
    var writer = JSONWriter()
    value.write(to: &writer)
    let text = writer.bytes
    texts.begin(text)
    text.withUnsafeBytes { bytes in
      if !reuse(bytes, at: bytes.indices, givenID: nil) { append(bytes, at: bytes.indices, value, givenID: nil) }
    }
  }

  /// Takes the item from the cache; false where it is not there. It stands at `range` of the text that was begun.
  @inline(__always)
  private mutating func reuse(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) -> Bool {
    guard let previous, let position = previous.position(of: bytes, givenID: givenID, expected: expected) else {
      return false
    }
    if previous.items[position].index != items.count, plan.dependencies.contains(.index) { return false }
    take(position, of: previous, at: range)
    return true
  }

  @inline(__always)
  private mutating func take(_ position: Int, of previous: CachedSource, at range: Range<Int>) {
    expected = position + 1
    items.append(previous.items[position])
    texts.append(range)
    fingerprints.append(previous.fingerprints[position])
  }

  /// False where the item is not JSON; it is skipped then.
  private mutating func mapApart(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) -> Bool {
    do throws(JSONError) {
      let document = try Document(bytes)
      append(bytes, at: range, Value(try document.unmanagedRoot()), givenID: givenID)
      return withExtendedLifetime(document) { true }
    } catch {
      appendMalformed(bytes, at: range, error, givenID: givenID)
      return false
    }
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer,
    at range: Range<Int>,
    _ value: Value,
    givenID: String?
  ) {
    scope.item = value
    scope.index = items.count
    let outcome = mapping.outcome(in: scope, source: source.name, givenID: givenID) {
      String(decoding: bytes, as: UTF8.self)
    }
    append(bytes, at: range, outcome, givenID: givenID, warning: mapping.warning)
  }

  private mutating func appendMalformed(
    _ bytes: UnsafeRawBufferPointer,
    at range: Range<Int>,
    _ error: JSONError,
    givenID: String?
  ) {
    let skip = MappedItem.Skip(id: givenID, reason: "the item is not JSON: \(error)")
    append(bytes, at: range, .skipped(skip), givenID: givenID)
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer,
    at range: Range<Int>,
    _ outcome: MappedItem.Outcome,
    givenID: String?,
    warning: String? = nil
  ) {
    // A changed item stands where its older self stood: the next one is expected behind it.
    expected += 1
    let index = items.count
    items.append(
      MappedItem(source: source.name, givenID: givenID, index: index, outcome: outcome, warning: warning)
    )
    texts.append(range)
    fingerprints.append(Fingerprint(of: bytes))
  }
}
