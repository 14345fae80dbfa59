// Expressions and templates over any item: nothing traps or hangs, what comes out is JSON of bounded size, and the
// same each time.
import Expressions
import JSON

private let anItem = Array(
  #"{"title":"Fish &amp; chips","n":-3,"x":1.5,"list":[1,"a",null,{"name":"b","at":"2024-05-01T22:30:00Z"}],"t":true}"#
    .utf8
)

/// An expression, then after a zero byte the item.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExpressions(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let parts = UnsafeBufferPointer(start: data, count: size)
    .split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let text = String(decoding: parts[0], as: UTF8.self)
  let bytes = parts.count > 1 && !parts[1].isEmpty ? Array(parts[1]) : anItem
  guard let document = try? Document(bytes) else { return 0 }
  _ = try? document.withRoot { root in
    var scope = Scope(item: root, index: 1)
    scope.response = Value(root)
    scope.count = 2
    if let expression = try? Expression(text) { check(expression, scope) }
    if let template = try? Template(text: text) { check(template, scope) }
  }
  return 0
}

private func check(_ expression: Expression, _ scope: Scope) {
  let first = encoded { () throws(EvaluationError) in try expression.evaluate(in: scope) }
  precondition(first == encoded { () throws(EvaluationError) in try expression.evaluate(in: scope) })
  _ = try? expression.isTrue(in: scope)
}

/// Twice the same.
private func check(_ template: Template, _ scope: Scope) {
  let made = encoded { () throws(EvaluationError) in try template.evaluate(in: scope) }
  precondition(made == encoded { () throws(EvaluationError) in try template.evaluate(in: scope) })
}

/// The value as JSON text, which it must be; nil where there is none.
private func encoded(_ value: () throws(EvaluationError) -> Value) -> [UInt8]? {
  guard let value = try? value() else { return nil }
  var writer = JSONWriter()
  value.write(to: &writer)
  precondition(writer.count <= 64 << 20, "\(writer.count) bytes")
  let bytes = writer.bytes
  precondition((try? Document(bytes)) != nil)
  return bytes
}
