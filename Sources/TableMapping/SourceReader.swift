internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// Reads the items of one source: takes from the cache what has not changed, and maps the rest.
struct SourceReader {
  private(set) var items: [MappedItem] = []
  private(set) var firstResponse: Document?
  /// Of whole responses, where expressions read them.
  let responses: Fingerprint
  private let source: TablePlan.SourcePlan
  private let plan: TablePlan
  private let previous: CachedSource?
  private var mapping: ItemMapping
  /// Where the next item stood the last time, if nothing moved.
  private var expected = 0

  /// The answer is not what the configuration says that it is.
  struct Failure: Error {
    var detail: String
  }

  init(
    source: TablePlan.SourcePlan, plan: TablePlan, previous: CachedSource?, scope: Scope, content: SourceContent
  ) {
    (self.source, self.plan) = (source, plan)
    mapping = ItemMapping(plan: plan, scope: scope)
    var responses = Fingerprint.empty
    if plan.readsResponse, case .pages(let pages) = content {
      for page in pages { responses = responses.combined(with: Fingerprint(of: page)) }
    }
    self.responses = responses
    let isUsable = !plan.dependencies.contains(.response) || previous?.responses == responses
    self.previous = isUsable ? previous : nil
    items.reserveCapacity(previous?.items.count ?? 0)
  }

  mutating func read(_ content: SourceContent) throws(Failure) {
    switch content {
    case .items(let given):
      for item in given {
        let bytes = item.bytes
        bytes.withUnsafeBytes { buffer in
          if !reuse(buffer, givenID: item.id) { mapApart(bytes, givenID: item.id) }
        }
      }
    case .pages(let pages):
      for (number, page) in pages.enumerated() {
        do throws(JSONError) {
          try read(page: page)
        } catch {
          let which = pages.count > 1 ? "page \(number + 1): " : ""
          throw Failure(detail: "\(which)\(error); `items` says where the list stands")
        }
      }
    }
  }

  private mutating func read(page: [UInt8]) throws(JSONError) {
    let document = try Document(page)
    if plan.readsResponse {
      if firstResponse == nil { firstResponse = document }
      mapping.scope.response = Value(try document.unmanagedRoot())
    }
    if let items = source.items, items.documentPath == nil {
      return try read(document, items)
    }
    let elements = try document.elements(at: source.items?.documentPath ?? [])
    items.reserveCapacity(items.count + elements.count)
    for element in elements {
      document.withBytes(of: element) { bytes in
        if reuse(bytes, givenID: nil) { return }
        do throws(JSONError) {
          let view = try document.unmanagedElement(element)
          append(Array(bytes), Value(view), givenID: nil)
        } catch {
          appendMalformed(Array(bytes), error, givenID: nil)
        }
      }
    }
    withExtendedLifetime(document) {}
  }

  /// Items that an expression finds or makes: written out one by one.
  private mutating func read(_ document: Document, _ expression: Expression) throws(JSONError) {
    var scope = mapping.scope
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
    case .null, .bool, .integer, .number, .string, .text, .json, .object:
      throw JSONError(.mismatch, "“\(expression)” is \(list.sample); a list is expected")
    }
    withExtendedLifetime(document) {}
  }

  private mutating func appendWritten(_ value: Value) {
    var writer = JSONWriter()
    writer.write(value)
    let bytes = writer.bytes
    bytes.withUnsafeBytes { buffer in
      if !reuse(buffer, givenID: nil) { append(bytes, value, givenID: nil) }
    }
  }

  /// Takes the item from the cache; false where it is not there.
  @inline(__always)
  private mutating func reuse(_ bytes: UnsafeRawBufferPointer, givenID: String?) -> Bool {
    guard let previous, let position = previous.position(of: bytes, givenID: givenID, expected: expected) else {
      return false
    }
    let item = previous.items[position]
    if item.index != items.count, plan.dependencies.contains(.index) { return false }
    expected = position + 1
    items.append(item)
    return true
  }

  private mutating func mapApart(_ bytes: [UInt8], givenID: String?) {
    do throws(JSONError) {
      let document = try Document(bytes)
      append(bytes, Value(try document.unmanagedRoot()), givenID: givenID)
      withExtendedLifetime(document) {}
    } catch {
      appendMalformed(bytes, error, givenID: givenID)
    }
  }

  private mutating func append(_ bytes: [UInt8], _ value: Value, givenID: String?) {
    mapping.scope.item = value
    mapping.scope.index = items.count
    let outcome = mapping.outcome(source: source.name, givenID: givenID) { String(decoding: bytes, as: UTF8.self) }
    append(bytes, outcome, givenID: givenID, warning: mapping.warning)
  }

  private mutating func appendMalformed(_ bytes: [UInt8], _ error: JSONError, givenID: String?) {
    append(bytes, .skipped(id: givenID, type: nil, reason: "the item is not JSON: \(error)"), givenID: givenID)
  }

  private mutating func append(
    _ bytes: [UInt8], _ outcome: MappedItem.Outcome, givenID: String?, warning: String? = nil
  ) {
    // A changed item stands where its older self stood: the next one is expected behind it.
    expected += 1
    items.append(
      MappedItem(
        bytes: bytes, source: source.name, givenID: givenID, fingerprint: Fingerprint(of: bytes), index: items.count,
        outcome: outcome, warning: warning))
  }
}
