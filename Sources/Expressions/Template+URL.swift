internal import FieldValues

extension Template {
  /// A part of a URL's text, as it stands in it.
  public struct URLPiece: Sendable {
    public let text: String
    /// The expression of the value; nil for a written-out value, and for one that the URL begins with.
    public let expression: Expression?
  }

  /// The parts of which `text(in:encoding: .url)` is made; nil where that is null, an array or an object. O(length).
  public func urlPieces(in scope: Scope) throws(EvaluationError) -> [URLPiece]? {
    guard case .text(let pieces) = form else {
      return try evaluate(in: scope).text.map { [URLPiece(text: $0, expression: nil)] }
    }
    let scope = scope.budgeted()
    var (made, isEmpty): ([URLPiece], Bool) = ([], true)
    for piece in pieces {
      switch piece {
      case .literal(let literal): made.append(URLPiece(text: literal, expression: nil))
      case .expression(let expression):
        let value = try expression.evaluate(in: scope)
        // Percent-coding costs more than a copy.
        try scope.budget?.chargeText(of: value, byte: isEmpty ? Cost.byte : 70)
        var text = ""
        value.append(to: &text)
        made.append(
          isEmpty
            ? URLPiece(text: text, expression: nil)
            : URLPiece(text: PercentCoding.encode(text), expression: expression)
        )
      }
      isEmpty = isEmpty && made.allSatisfy(\.text.isEmpty)
    }
    guard made.reduce(0, { $0 + $1.text.utf8.count }) <= Arithmetic.maximumText else {
      throw Arithmetic.tooLong("the template")
    }
    return made
  }
}
