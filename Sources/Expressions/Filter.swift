import JSON

/// A filter: `value | name(arguments)`. All that there are stand in one table, which the documentation is checked
/// against.
public struct Filter: Sendable {
  public let name: String
  /// How it is written: `truncate(length, ending?)`.
  public let signature: String
  /// One line of documentation.
  public let summary: String
  /// Expressions and their values as JSON, evaluated by a test.
  public let examples: [(expression: String, value: String)]
  /// The charge for reading the input, beside what is made of it.
  let reading: Reading
  /// Its first argument is evaluated for each element of a list. Further ones are evaluated once, in the scope around.
  let takesElementExpressions: Bool
  /// The place of the argument that names a locale; where it is left out, the scope's is taken.
  let localeArgument: Int?
  let arity: ClosedRange<Int>
  let apply: @Sendable (FilterCall) throws(EvaluationError) -> Value

  /// The arity is read from the signature: arguments with `?` may be left out.
  init(
    _ signature: String,
    _ summary: String,
    examples: [(String, String)],
    reads reading: Reading,
    takesElementExpressions: Bool = false,
    apply: @escaping @Sendable (FilterCall) throws(EvaluationError) -> Value
  ) {
    self.signature = signature
    self.summary = summary
    self.examples = examples.map { (expression: $0.0, value: $0.1) }
    (self.reading, self.takesElementExpressions) = (reading, takesElementExpressions)
    self.apply = apply
    let parts = signature.split(separator: "(")
    name = parts.first.map { String($0) } ?? signature
    let arguments = parts.count > 1 ? parts[1].split(separator: ",") : []
    localeArgument = arguments.firstIndex { $0.contains("locale") }
    arity = arguments.filter { !$0.contains("?") }.count...arguments.count
  }

  /// The part of its input that a filter reads, as steps for each byte of a text (``Budget``). Of a list or an object
  /// it reads all elements or members, but nothing inside them.
  enum Reading: Sendable {
    /// Each byte of a text.
    case bytes(Int)
    /// Each character of a text: those beyond ASCII are made of more than they say.
    case characters(ascii: Int, other: Int)
    /// Each byte of a number's text; and writes for people, or makes a moment.
    case number(writing: Int)
    /// The input with all that is in it, so many steps for each byte of its texts.
    case whole(Int)
    /// A piece of HTML.
    case html
  }

  /// In the order of the documentation.
  public static let all = TextFilters.all + ListFilters.all + NumberFilters.all + DateFilters.all + EncodingFilters.all

  static let names = all.map(\.name).joined(separator: ", ")

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  static func named(_ name: String) -> Filter? { byName[name] }
}

extension Filter {
  /// Returns whether an argument is evaluated for each element of a list.
  func isForEachElement(argument position: Int) -> Bool { takesElementExpressions && position == 0 }

  /// Returns the error in arguments that are written out, with which no item would ever get a value. Nil if there is
  /// none.
  func fault(of arguments: [Node]) -> String? {
    func text(_ position: Int) -> String? {
      guard position < arguments.count, case .literal(.string(let text)) = arguments[position] else { return nil }
      return text
    }
    switch name {
    case "currency":
      return text(0).flatMap { code in
        NumberText.isCurrency(code) ? nil : "currency takes a code of three capitals such as 'EUR', not '\(code)'"
      }
    case "date":
      return text(1).flatMap { zone in
        DateText.isZone(zone) ? nil : "date takes a time zone such as 'Europe/Berlin', not '\(zone)'"
      }
    case "sort":
      return text(1).flatMap { direction in
        ["ascending", "descending"].contains(direction)
          ? nil : "sort takes 'ascending' or 'descending', not '\(direction)'"
      }
    default: return nil
    }
  }
}
