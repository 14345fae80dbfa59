import FieldValues
import HTTPServer
import TableEngine
import TableModel

/// The query parameters and fields of the protocol, read once at the edge into types.
struct PollParameters: Sendable {
  /// The longest wait: more is clamped.
  static let longest = 55.0
  static let standard = 20.0

  var wait: Double

  init(_ request: Request) throws(ServiceError) {
    if let text = request.query.first("wait") {
      guard text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), let seconds = Double(text) else {
        throw .malformed("`wait` is a number of seconds from 0 to 55, such as `wait=20`.", field: "wait")
      }
      wait = min(seconds, Self.longest)
    } else {
      wait = min(Self.preferred(request) ?? Self.standard, Self.longest)
    }
  }

  /// `Prefer: wait=N` (RFC 7240 §4.3); a preference that can't be read is ignored, as §2 asks.
  private static func preferred(_ request: Request) -> Double? {
    var found: Double?
    request.forEachMember(of: .prefer) { preference in
      // Parameters may follow, and a value may be quoted.
      guard let equals = preference.firstIndex(of: UInt8(ascii: "=")),
        preference[..<equals].withoutBlanks.isText("wait")
      else { return true }
      var value = preference[(equals + 1)...].prefix { $0 != UInt8(ascii: ";") }.withoutBlanks
      if value.count > 1, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
        value = value.dropFirst().dropLast()
      }
      if value.count <= 19 { found = Int(digits: String(decoding: value, as: UTF8.self)).map(Double.init) }
      return found == nil
    }
    return found
  }

  /// As it stands in the `Link` to the next request: seconds without a needless fraction.
  var waitText: String { wait == wait.rounded() ? String(Int(wait)) : String(wait) }
}

extension Request {
  /// `view`: 1–64 characters `A–Z a–z 0–9 . _ -`.
  func viewName() throws(ServiceError) -> String? {
    try query.first("view").map { name throws(ServiceError) in try LensRequest.viewName(name, field: "view") }
  }

  /// `at=0,3`
  func indexPath() throws(ServiceError) -> IndexPath {
    let text = query.first("at") ?? ""
    let parts = text.utf8.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 2, let section = Int(digits: Substring(parts[0])), let row = Int(digits: Substring(parts[1]))
    else {
      throw .malformed("`at` is a section and a row, counted from 0, such as `at=0,3`.", field: "at")
    }
    return IndexPath(section: section, row: row)
  }

  /// `rows=N`, `rows=F-T` or `rows=all`
  func window() throws(ServiceError) -> LensRequest.Window {
    guard let text = query.first("rows") else { return .unnamed }
    return try LensRequest.Window(parameter: text, field: "rows")
  }

  /// `Accept-Cells`; nil where the client takes all.
  func acceptedCells() throws(ServiceError) -> AcceptedCells? {
    var members: [String] = []
    forEachMember(of: .acceptCells) { member in
      members.append(String(field: member))
      return members.count <= AcceptedCells.maximum
    }
    guard !members.isEmpty else { return nil }
    return try asked { () throws(TableError) in try AcceptedCells(members) }
  }

  /// Refuses a query parameter that means nothing here, as most are misspelt, and one that stands twice: nobody knows which
  /// is meant.
  ///
  /// - Parameter repeatable: those that may.
  func checkQuery(_ known: [String], repeatable: [String]) throws(ServiceError) {
    var seen: [String] = []
    for item in query.items where !repeatable.contains(item.name) && known.contains(item.name) {
      guard !seen.contains(item.name) else {
        throw .malformed("The query parameter `\(item.name)` stands twice: it is named once.", field: item.name)
      }
      seen.append(item.name)
    }
    for item in query.items where !known.contains(item.name) {
      let all = known.map { "`\($0)`" }.joined(separator: ", ")
      let meant = Nearest.name(to: String(item.name.prefix(80)), among: known)
      throw .malformed(
        "There is no query parameter `\(item.name.prefix(80))` here"
          + (meant.map { "; did you mean `\($0)`?" } ?? ".")
          + (known.isEmpty ? " None is known." : " Known \(known.count == 1 ? "is" : "are") \(all)."),
        field: String(item.name.prefix(80))
      )
    }
  }
}

extension Int {
  /// Decimal digits alone: `Int.init` takes a sign, too.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy(\.isDigit) else { return nil }
    self.init(text)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
