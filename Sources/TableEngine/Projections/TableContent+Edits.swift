import Definitions
import FieldValues
import JSON
import TableEncoding
import TableMapping
import TableModel

/// Lays edits that the upstream has accepted over what it has said. In the list of a source's only response they are as fast
/// as the table finds where a row stands; else all items are laid over it, one by one.
///
/// An item is named by its place among the source's, or by its number where these were edited (``ListEdits``).
extension TableContent {
  /// The identity of the row of an item, as the upstream names it in an answer; nil where it doesn't.
  func identity(of answer: [UInt8], from source: String) -> String? {
    mapper.identity(of: answer, from: source, variables: variables)
  }

  /// Returns whether a source has an item of an identity that no row here shows. O(items without a row): their identities are not kept.
  func isTakenByOthers(_ identity: String, at source: String) -> Bool {
    guard let items = result?.items(of: source) else { return false }
    return items.contains { item in
      item.row == nil && self.identity(of: item.bytes, from: source)?.isExactly(identity) == true
    }
  }

  /// Puts one item in the place of another; returns what it is named by from now on.
  @discardableResult
  mutating func lay(_ item: [UInt8], at position: Int, over source: String, named name: String) -> Int {
    if var edits = edits(of: source) {
      edits.replace(position, with: item)
      return lay(edits, of: position, over: source, named: name)
    }
    var items = items(of: source)
    guard items.indices.contains(position) else { return position }
    items[position] = item
    lay(items, over: source, named: name)
    return position
  }

  /// Removes an item; false where there is none.
  mutating func layDeletion(at position: Int, over source: String, named name: String) -> Bool {
    if var edits = edits(of: source) {
      edits.remove(position)
      lay(edits, of: position, over: source, named: name)
      return true
    }
    var items = items(of: source)
    guard items.indices.contains(position) else { return false }
    items.remove(at: position)
    lay(items, over: source, named: name)
    return true
  }

  /// Adds an item behind all others; returns what it is named by.
  mutating func layAddition(_ item: [UInt8], over source: String, named name: String) -> Int {
    if var edits = edits(of: source) {
      let position = edits.append(item)
      return lay(edits, of: position, over: source, named: name)
    }
    let items = items(of: source)
    lay(items + [item], over: source, named: name)
    return items.count
  }

  /// Moves an item; false where there is none.
  mutating func layMove(at position: Int, to place: EditPlace, over source: String, named name: String) -> Bool {
    var position = position
    if var edits = edits(of: source), let result, let item = result.bytes(ofItemAt: position, of: source) {
      let neighbor = place.neighbor(in: result, moving: position, of: source)
      if edits.move(position, item, to: neighbor) {
        lay(edits, of: position, over: source, named: name)
        return true
      }
      // There is no room between its neighbours: it is moved in the list of all items, which has places and no numbers.
      position = edits.place(of: position) ?? position
    }
    var items = items(of: source)
    guard let result, items.indices.contains(position) else { return false }
    let moving = items.remove(at: position)
    var rows = result.items(of: source).map(\.row)
    rows.remove(at: position)
    items.insert(moving, at: place.index(among: rows, in: result.sections, naming: itemIdentity(ofRow:)))
    lay(items, over: source, named: name)
    return true
  }

  // MARK: What edits name

  /// Returns the items that the lookups named by an edit find for a row's item.
  ///
  /// - Throws: where one of their sources has not answered yet: what is not known is not taken for what is not there.
  func lookedUp(_ names: Set<String>, for row: String) throws(TableError) -> [String: JSONValue] {
    guard !names.isEmpty else { return [:] }
    let found = result?.lookedUp(for: row) ?? [:]
    for name in names.sorted() where found[name] == nil {
      throw TableError(
        .unavailable,
        detail: "The edit names `$\(name)`, and what that is for row `\(row)` is not known here yet: the source of the "
          + "lookup has not answered.",
        retryAfter: .seconds(2)
      )
    }
    return found
  }

  /// The item around that of a row.
  ///
  /// - Throws: where another replica has mapped it: what stands around items is not stored.
  func parent(of row: String) throws(TableError) -> JSONValue {
    if let bytes = result?.parent(of: row), let parent = try? JSONValue(parsing: bytes) { return parent }
    throw TableError(
      .unavailable,
      detail: "The edit names `$parent`, and what that is for row `\(row)` is not known here yet: the source has not "
        + "answered.",
      retryAfter: .seconds(2)
    )
  }

  /// Returns the item's identity at its source, whichever of its rows is named.
  func itemIdentity(ofRow row: String) -> String {
    if let result { return result.identity(ofItemInRow: row) ?? row }
    // Another replica has mapped it: what is left of the name of a row in a further section is a row, too.
    guard case .list(let sections, firstMatch: false) = definition.sections, let restored,
      let section = sections.first(where: { row.hasSuffix("@\($0.id)") })
    else { return row }
    let name = String(row.dropLast(section.id.count + 1))
    return restored.indexPath(of: name) == nil ? row : name
  }

  /// Why an item of a source that a section takes has no row; nil where it has one, where none does, and where that can't be told.
  /// O(1) where it has a row, else of the few that are kept.
  func unfitness(of item: [UInt8], from source: String) -> String? {
    guard let result, let id = identity(of: item, from: source), result.item(id)?.hasRow != true else { return nil }
    return result.skipped.first { $0.source == source && $0.id == id }?.reason
  }

  // MARK: What is laid over

  /// Nil where all items are laid over it.
  private func edits(of source: String) -> ListEdits? {
    inputs[source]?.content.flatMap { result?.edits(of: source, in: $0) }
  }

  /// - Returns: what an item is named by from now on: where all had to be mapped after all, its place.
  @discardableResult
  private mutating func lay(_ edits: ListEdits, of position: Int, over source: String, named name: String) -> Int {
    inputs[source]?.content?.edits = edits
    _ = table(named: name)
    return self.edits(of: source) == nil ? edits.place(of: position) ?? position : position
  }

  /// Returns the items of a source, in their order. O(bytes).
  private func items(of source: String) -> [[UInt8]] { result?.items(of: source).map(\.bytes) ?? [] }

  /// The source's responses stay what they were, for whoever shows more of them.
  private mutating func lay(_ items: [[UInt8]], over source: String, named name: String) {
    let items = items.map { SourceItem(bytes: $0) }
    let answer = inputs[source]?.content ?? SourceContent()
    inputs[source]?.content = answer.laying(over: items)
    _ = table(named: name)
  }
}

extension TableContent {
  /// An action that a row offers, as it is shown.
  ///
  /// - Throws: where there is no such row, or it doesn't offer the action.
  func action(_ id: String, of row: String, in table: Table) throws(TableError) -> ActionDefinition {
    guard let path = table.indexPath(of: row), let shown = table[at: path] else {
      throw missing(row, in: table)
    }
    let offered = shown.actions
    guard offered.contains(id), let action = definition.actions.first(where: { $0.id == id }) else {
      let others = offered.map { "`\($0)`" }.joined(separator: ", ")
      throw .notFound("Row `\(row)` offers no action `\(id)`\(others.isEmpty ? "" : ": it offers \(others)").")
    }
    return action
  }
}
