internal import Expressions
internal import JSON

/// The items in one response.
enum PageItems {
  /// A list of the response: its elements are read in place.
  case list(ListedText)
  /// Items that an expression finds or makes: views on the response, which are valid as long as the document, or values
  /// of their own.
  case values([Value], Document)

  /// Takes a source's page.
  ///
  /// - Parameters:
  ///   - items: Where the list stands; nil: the response is the list.
  ///   - previous: the page as it was before.
  init(
    ofPage number: Int,
    of content: SourceContent,
    at items: Expression?,
    after previous: ListedText? = nil,
    scope: @autoclosure () -> Scope
  ) throws(JSONError) {
    guard let items, items.documentPath == nil else {
      self = .list(try content.list(ofPage: number, at: items?.documentPath ?? [], after: previous))
      return
    }
    let document = try Document(content.pages[number])
    var scope = scope()
    let root = Value(try document.unmanagedRoot())
    (scope.item, scope.response) = (root, root)
    scope.work = Budget(ofResponse: content.pages[number].count)
    let list: Value
    do throws(EvaluationError) {
      list = try items.evaluate(in: scope)
    } catch {
      throw JSONError(.mismatch, "“\(items)”: \(error)")
    }
    guard list.kind == .array else {
      throw JSONError(.mismatch, "“\(items)” is \(list.sample); a list is expected")
    }
    self = .values(list.elements ?? [], document)
  }
}

extension Value {
  /// The value as JSON text.
  var written: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}
