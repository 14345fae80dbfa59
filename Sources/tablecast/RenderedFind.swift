import ArgumentParser
import Definitions
import TableFinding
import TableMapping
import TableModel
import TablecastClient

/// The rows that a search finds in a mapping's result: as a client of the service would be shown them.
struct RenderedFind {
  private let mapper: TableMapper
  private let variables: MappingVariables

  init(_ mapper: TableMapper, _ variables: MappingVariables) { (self.mapper, self.variables) = (mapper, variables) }

  /// Keeps what is found.
  ///
  /// - Returns: what the table can be searched by, with counts.
  func keep(_ search: TableSearch, of result: inout MappingResult) throws -> FindMenu {
    let name = mapper.definition.name
    guard let offer = mapper.finding(for: variables) else {
      throw CleanExit.failure("table `\(name)` can't be searched: name under `find` what it offers")
    }
    try check(search, offer)
    let choices = search.filters.flatMap { id, values in
      values.map { FindSearch.Choice(filter: Array(id.utf8), value: Array($0.utf8)) }
    }
    let wanted = FindSearch(
      words: Folding.terms(of: search.q),
      choices: choices,
      sort: search.sort.map { Array($0.utf8) }
    )
    let finder = Finder(offer.schema, mapper.framing(for: variables), memory: FindMemory(maximumBytes: 1 << 30))
    let table = Table(name: name, title: result.title ?? "", state: .ready, sections: result.sections)
    let version = Finder.Version(Cursor(epoch: Epoch(rawValue: 0), version: 1))
    let found = finder.found(wanted, version, table)
    result.keep(found.whole.sections)
    return found.menu(offer)
  }

  private func check(_ search: TableSearch, _ offer: FindOffer) throws {
    let name = mapper.definition.name
    func list(_ names: [String]) -> String {
      names.isEmpty ? "it has none" : "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") there"
    }
    if !search.q.isEmpty, !offer.schema.isSearched {
      throw CleanExit.failure("in table `\(name)` no texts are searched: name them under `find.search`")
    }
    for filter in search.filters.keys.sorted() where !offer.schema.filters.contains(filter) {
      throw CleanExit.failure("table `\(name)` has no filter `\(filter)`: \(list(offer.schema.filters))")
    }
    if let sort = search.sort, !offer.schema.sorts.contains(where: { $0.id == sort }) {
      throw CleanExit.failure("table `\(name)` has no sort `\(sort)`: \(list(offer.schema.sorts.map(\.id)))")
    }
  }

  /// A line for each filter and one for the sorts: chosen ones in brackets.
  static func text(_ menu: FindMenu?) -> String {
    guard let menu else { return "" }
    var lines = menu.filters.map { filter in
      let values = filter.values.map { value in
        let text = "\(TerminalText.oneLine(value.title)) \(value.count)"
        return value.isSelected ? "[\(text)]" : text
      }
      return
        "\(TerminalText.oneLine(filter.title)): \((values + (filter.hasMore ? ["…"] : [])).joined(separator: ", "))"
    }
    if !menu.sorts.isEmpty {
      let sorts = menu.sorts.map { sort in
        let title = TerminalText.oneLine(sort.title)
        return sort.id == menu.sort ? "[\(title)]" : title
      }
      lines.append("Sort: \(sorts.joined(separator: ", "))")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
