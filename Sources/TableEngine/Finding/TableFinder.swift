import Digests
import TableFinding
import TableMapping
import TableModel

/// A table's searches: its definition, and the finder that runs them. A value; a new configuration makes a new one.
struct TableFinder: Sendable {
  let offer: FindOffer
  let finder: Finder

  /// Nil where the table offers nothing.
  init?(_ mapper: TableMapper, _ variables: MappingVariables, memory: FindMemory) {
    guard let offer = mapper.finding(for: variables) else { return nil }
    self.offer = offer
    finder = Finder(offer.schema, mapper.framing(for: variables), memory: memory)
  }

  /// Whether a search names nothing but what there is.
  func offers(_ search: FindSearch) -> Bool {
    let schema = offer.schema
    let knowsSort = search.sort.map { sort in schema.sorts.contains { $0.id.utf8.elementsEqual(sort) } } ?? true
    return knowsSort && (search.words.isEmpty || schema.isSearched)
      && search.choices.allSatisfy { choice in
        schema.filters.contains { $0.utf8.elementsEqual(choice.filter) }
      }
  }
}

extension FindSearch {
  /// A digest, for cursors that the search doesn't fit into.
  var digest: LensTag.Digest { LensTag.Digest(prefixOf: SHA256.digest(of: Array(description.utf8))) }
}
