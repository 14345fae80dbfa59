import TableEngine
import TableModel

extension LensRequest.Window {
  /// Reads `N`, `F-T` or `all`.
  ///
  /// - Parameter field: the parameter to blame.
  init(parameter text: String, field: String) throws(ServiceError) {
    guard text != "all" else {
      self = .all
      return
    }
    switch Self.range(text) {
    case .success(let range): self = .rows(range)
    case .failure(let problem):
      throw .malformed("`rows=\(String(text.unicodeScalars.prefix(40)))`: \(problem.text)", field: field)
    }
  }

  /// The mistake, and the correction.
  private struct Wrong: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private static let most = WindowRange.sizes.upperBound

  private static func range(_ text: String) -> Result<WindowRange, Wrong> {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { Substring($0) }
    let numbers = parts.map { Int(digits: $0) }
    switch (numbers.count, numbers[0]) {
    case (1, let rows?):
      return WindowRange(rows).map { .success($0) }
        ?? .failure(Wrong("a window has 1 to \(most) rows: `rows=50`; without a bound it is `rows=all`."))
    case (2, nil) where parts[0].isEmpty && numbers[1].flatMap { WindowRange(from: 0, through: $0) } != nil:
      return .failure(Wrong("the first row is missing: `rows=0\(text)` begins at the beginning."))
    case (2, let from?) where parts[1].isEmpty && WindowRange(from: from, rows: 50) != nil:
      return .failure(Wrong("the last row is missing: `rows=\(from)-\(from + 49)` are fifty rows."))
    default:
      if numbers.count == 2, let from = numbers[0], let last = numbers[1] { return range(from, last) }
      let forms = "`rows=50`, the first rows, `rows=100-149`, both included and counted from 0, or `rows=all`"
      return .failure(Wrong("it is none of \(forms)."))
    }
  }

  private static func range(_ from: Int, _ last: Int) -> Result<WindowRange, Wrong> {
    if let range = WindowRange(from: from, through: last) { return .success(range) }
    if last < from {
      return .failure(Wrong("the last row stands before the first: `rows=\(last)-\(from)` would not."))
    }
    if last > WindowRange.last { return .failure(Wrong("rows are counted up to \(WindowRange.last).")) }
    return .failure(
      Wrong("a window has \(most) rows at most, both ends included: `rows=\(from)-\(from + most - 1)` has as many.")
    )
  }
}

extension LensRequest {
  /// Checks a view's name: 1–64 characters `A–Z a–z 0–9 . _ -`.
  ///
  /// - Parameter field: the parameter to blame.
  static func viewName(_ name: String, field: String) throws(ServiceError) -> String {
    let isToken = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isToken, (1...64).contains(name.utf8.count) else {
      throw .malformed("`view` is 1 to 64 characters of A–Z a–z 0–9 . _ -", field: field)
    }
    return name
  }
}
