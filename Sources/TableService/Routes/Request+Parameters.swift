import FieldValues
import HTTPServer
import TableEngine
import TableFinding
import TableModel

/// The query parameters and header fields of the protocol.
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
      // A character may be as long as the target.
      let name = String(item.name.unicodeScalars.prefix(80))
      let meant = Nearest.name(to: name, among: known)
      throw .malformed(
        "There is no query parameter `\(name)` here"
          + (meant.map { "; did you mean `\($0)`?" } ?? ".")
          + (known.isEmpty ? " None is known." : " Known \(known.count == 1 ? "is" : "are") \(all)."),
        field: name
      )
    }
  }

  var parsed: ParsedRequest { remembering { ParsedRequest(self) } }

  /// Refuses a client that takes nothing of what it would get.
  func checkAccept(_ mediaType: MediaType) throws(ServiceError) {
    guard !mediaType.isAcceptable(to: self) else { return }
    throw ServiceError(
      status: .notAcceptable,
      detail: "`Accept` leaves out `\(mediaType.name)`, and there is nothing else here.",
      field: "Accept"
    )
  }
}

/// The parameters of a client's search.
extension Request {
  static let findParameters = ["q", "filter", "sort", "find"]

  /// Nil where it looks for nothing, and asks for no menus.
  func findSearch() throws(ServiceError) -> FindSearch? {
    try FindParameters(query.items.map { (name: $0.name, value: $0.value) }).search()
  }

  /// The search as it stands in the `Link` to the next request: `&q=swi&filter=state%3Aopen`.
  var findQuery: String {
    query.items.lazy.filter { Self.findParameters.contains($0.name) }
      .map { "&\($0.name)=\(PercentCoding.encode($0.value))" }.joined()
  }
}

/// Whom it is from.
extension Request {
  /// The token after `Bearer`. Empty where nothing follows: a client that has lost its token is told so, and is not nobody.
  var bearerToken: ArraySlice<UInt8>? {
    guard let field = valueBytes(.authorization) else { return nil }
    let end = field.firstIndex(of: UInt8(ascii: " ")) ?? field.endIndex
    return field[..<end].isText("bearer") ? field[end...].withoutBlanks : nil
  }

  /// The key that limits on a single client count by, of IPv6 its network; empty for this machine itself.
  var share: String { isLocal ? "" : client.network.host }
}
