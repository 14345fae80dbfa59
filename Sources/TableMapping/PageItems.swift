internal import Expressions
internal import JSON

/// The items in one response.
enum PageItems {
  /// A list of the response: its elements are read in place.
  case elements([Document.Element])
  /// What an expression finds or makes: views on the response, or values of their own.
  case values([Value])

  /// - Parameter items: Where the list stands; nil: the response is the list.
  init(
    in document: Document,
    at items: Expression?,
    scope: @autoclosure () -> Scope
  ) throws(JSONError) {
    guard let items, items.documentPath == nil else {
      self = .elements(try document.elements(at: items?.documentPath ?? []))
      return
    }
    var scope = scope()
    let root = Value(try document.unmanagedRoot())
    (scope.item, scope.response) = (root, root)
    let list: Value
    do throws(EvaluationError) {
      list = try items.evaluate(in: scope)
    } catch {
      throw JSONError(.mismatch, "“\(items)”: \(error)")
    }
    guard list.kind == .array else {
      throw JSONError(.mismatch, "“\(items)” is \(list.sample); a list is expected")
    }
    self = .values(list.elements ?? [])
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
