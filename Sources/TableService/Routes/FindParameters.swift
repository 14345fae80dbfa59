import FieldValues
import HTTPServer
import TableEngine
import TableFinding
import TableModel

/// The parameters of one search, wherever they stand.
struct FindParameters {
  private var q: String?
  private var filters: [String] = []
  private var sort: String?
  private var isAskedFor = false
  private var wrongFind: String?

  /// - Parameter items: others are passed over.
  init(_ items: some Sequence<(name: String, value: String)>) {
    for (name, value) in items {
      switch name {
      case "q": q = value
      case "filter": filters.append(value)
      case "sort": sort = value
      case "find":
        isAskedFor = value == "1"
        if value != "1" { wrongFind = value }
      default: break
      }
    }
  }

  func search() throws(ServiceError) -> FindSearch? {
    guard q != nil || !filters.isEmpty || sort != nil || isAskedFor || wrongFind != nil else { return nil }
    if wrongFind != nil {
      throw .malformed("`find=1` asks for what a table can be searched by; it has no other value.", field: "find")
    }
    let text = q ?? ""
    // No scalar has more than four bytes.
    guard text.utf8.count <= 4 * FindSearch.maximumScalars, text.unicodeScalars.count <= FindSearch.maximumScalars
    else {
      throw .malformed("`q` has at most \(FindSearch.maximumScalars) characters.", field: "q")
    }
    guard filters.count <= FindSearch.maximumChoices else {
      throw .malformed("`filter` stands at most \(FindSearch.maximumChoices) times.", field: "filter")
    }
    var choices: [FindSearch.Choice] = []
    for filter in filters {
      guard let colon = filter.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw .malformed(
          "`\(String(filter.unicodeScalars.prefix(80)))` is no filter: it is `filter=ID:VALUE`, such as `filter=state:open`.",
          field: "filter"
        )
      }
      let value = Array(filter.utf8[filter.utf8.index(after: colon)...])
      choices.append(
        FindSearch.Choice(filter: Array(filter.utf8[..<colon]), value: value.isEmpty ? Array("none".utf8) : value)
      )
    }
    let chosen = sort.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    return FindSearch(words: Folding.terms(of: text), choices: choices, sort: chosen)
  }
}

extension LiveTable {
  /// Refuses a search that the table doesn't offer, in words that name what there is.
  ///
  /// - Parameter field: where it stands, if not in parameters of its own.
  func checkFinding(_ search: FindSearch?, field: String? = nil) throws(ServiceError) {
    guard let search, !search.isEmpty else { return }
    let offer = self.offer
    if !search.words.isEmpty, offer?.schema.isSearched != true {
      throw .malformed("In the table `\(name)` no texts are searched.\(Self.rest(offer))", field: field ?? "q")
    }
    let filters = offer?.schema.filters ?? []
    for choice in search.choices where !filters.contains(where: { $0.utf8.elementsEqual(choice.filter) }) {
      let filter = String(decoding: choice.filter.prefix(80), as: UTF8.self)
      throw .malformed(
        "The table `\(name)` has no filter `\(filter)`\(Self.list(filters, near: filter, "filter"))",
        field: field ?? "filter"
      )
    }
    let sorts = offer?.schema.sorts.map(\.id) ?? []
    if let chosen = search.sort, !sorts.contains(where: { $0.utf8.elementsEqual(chosen) }) {
      let sort = String(decoding: chosen.prefix(80), as: UTF8.self)
      throw .malformed(
        "The table `\(name)` has no sort `\(sort)`\(Self.list(sorts, near: sort, "sort"))",
        field: field ?? "sort"
      )
    }
  }

  private static func list(_ names: [String], near name: String, _ noun: String) -> String {
    let near = Nearest.name(to: name, among: names).map { "; did you mean `\($0)`?" } ?? "."
    guard !names.isEmpty else { return ". It has no \(noun)." }
    return near + " There \(names.count == 1 ? "is" : "are") \(names.map { "`\($0)`" }.joined(separator: ", "))."
  }

  private static func rest(_ offer: FindOffer?) -> String {
    guard let offer else { return " It has no `find` in the configuration: no search, filters or sorts." }
    let filters = offer.schema.filters.map { "`filter=\($0):…`" }
    let sorts = offer.schema.sorts.map { "`sort=\($0.id)`" }
    let all = (filters + sorts).joined(separator: ", ")
    return all.isEmpty ? "" : " It offers \(all)."
  }
}
