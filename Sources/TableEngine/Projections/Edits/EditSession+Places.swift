import Definitions
import Expressions
import FieldValues
import JSON
import TableMapping
import TableModel
import TableStore

/// Places in a table's terms, as places among its items.
extension EditSession {
  /// A place in the items' terms, and what it was in the table's.
  struct Target {
    var place: Place
    /// The condition that makes an item one of the section.
    var membership: Membership?
    var section: String?
    var index: Int?
    /// The row that a row which moves is to stand beside.
    var neighbor: Neighbor?

    struct Neighbor {
      var row: String
      var isAfter: Bool
    }
  }

  /// - Parameter replacing: the item's members are others, too: those that make it one of its section are set anew.
  func target(of place: EditPlace, moving: String?, replacing: Bool = false) throws(TableError) -> Target {
    let member = replacing ? nil : moving
    switch place {
    case .end: return Target(place: .end)
    case .before(let row), .after(let row):
      let isAfter = if case .after = place { true } else { false }
      let (item, section) = try self.neighbor(row, isAfter ? "after" : "before", moving: moving)
      var target = Target(
        place: isAfter ? .after(item) : .before(item),
        membership: try membership(section, moving: member),
        section: section
      )
      // An addition is put into the section of the row, wherever that has it.
      if member != nil { target.neighbor = Target.Neighbor(row: row, isAfter: isAfter) }
      return target
    case .section(let named, let index):
      let section = try self.section(named, moving: moving)
      let rows = OtherRows(than: moving.map { self.row($0, in: section) }, in: self.section(section)?.rows ?? [])
      guard index ?? 0 <= rows.count else {
        throw .unprocessable(
          "Section `\(section)` has \(rows.count) other rows: `at` is 0 to \(rows.count), not \(index ?? 0).",
          field: "at"
        )
      }
      var target = Target(
        place: .end,
        membership: try membership(section, moving: member),
        section: section,
        index: index
      )
      if let index, index < rows.count {
        target.place = .before(try item(of: rows[index].id))
      } else if let last = rows.last {
        target.place = .after(try item(of: last.id))
      }
      return target
    }
  }

  /// The section that a place names; the only one where it names none.
  private func section(_ named: String?, moving row: String?) throws(TableError) -> String {
    if let named {
      if case .groups = content.definition.sections { return named }
      try content.definition.sections.check(named, in: table)
      return named
    }
    return try content.definition.sections.unnamed(moving: row, in: table)
  }

  private func neighbor(_ row: String, _ field: String, moving: String?) throws(TableError) -> (
    ItemID, section: String
  ) {
    guard moving?.isExactly(row) != true else {
      throw .unprocessable("Row `\(row)` can't be placed beside itself.", field: field)
    }
    guard let place = self.place(of: row) else {
      throw .unprocessable("There is no row `\(row)` to be placed beside.", field: field)
    }
    return (try item(of: row), place.section.id)
  }

  /// A shown section. As fast as ``MappingResult/section(named:)``.
  func section(_ id: String) -> Section? {
    guard content.isMapped, let result = content.result else { return table.sections.first { $0.id.isExactly(id) } }
    return result.section(named: id)
  }

  /// The place of a row. O(1) where edits are laid out one by one, for an item's first row; else O(sections).
  func place(of row: String) -> (section: Section, index: Int)? {
    if content.isMapped, let section = content.result?.section(ofRow: row),
      let index = section.rows.firstIndex(of: row, Fingerprint(of: row))
    {
      return (section, index)
    }
    return table.indexPath(of: row).map { (table.sections[$0.section], $0.row) }
  }

  /// Returns the row that an item has in a section, by any of its rows: where several sections show it (`match: all`),
  /// it has one in each. The same row where it has none there.
  func row(_ row: String, in section: String) -> String {
    guard let result = content.result, let other = result.identity(ofItemInRow: row, in: section),
      item(of: result.item(other)) == item(of: result.item(row))
    else { return row }
    return other
  }

  func item(of row: String) throws(TableError) -> ItemID {
    guard let item = item(of: content.result?.item(row)) else {
      throw .unprocessable("Row `\(row)` does not come from the table's own items.")
    }
    return item
  }

  /// Returns the condition that makes an item one of a section; nil where it is in it already or nothing is needed.
  private func membership(_ section: String, moving row: String?) throws(TableError) -> Membership? {
    if let row, place(of: self.row(row, in: section))?.section.id.isExactly(section) == true { return nil }
    switch content.definition.sections {
    case .single: return nil
    case .groups(let groups):
      guard let path = groups.key.memberPath else {
        throw .unprocessable(
          "The sections of `\(name)` come from `\(groups.key)`, which is no member that could be set.",
          field: "section"
        )
      }
      return Membership(path: path, value: groupValue(section, path))
    case .list(let sections, _):
      guard let predicate = sections.first(where: { $0.id.isExactly(section) })?.predicate else { return nil }
      guard let (path, value) = predicate.satisfyingMember else { return nil }
      return Membership(path: path, value: value)
    }
  }

  /// The value of a group: as its other items have it; of one without items, a number or a boolean where the member is declared as one or
  /// the default item has one, or where the other groups have such. Of the section `none` it is null, unless its items say so in words.
  func groupValue(_ section: String, _ path: [String]) -> JSONValue {
    if let known = joined[section] { return known.value }
    if let own = self.section(section).flatMap({ value(at: path, in: $0) }) { return own == "" ? .null : own }
    guard section != "none" else { return .null }
    guard let read = try? JSONValue(parsing: Array(section.utf8)), read.isScalar(like: read) else {
      return .string(section)
    }
    if let isAlike = content.local?.definition.hasScalar(like: read, at: path) {
      return isAlike ? read : .string(section)
    }
    // The kind of the groups' values is known where edits are laid out one by one.
    if let kinds = joined.kinds ?? content.result?.groupKinds {
      return kinds.areAll(numbers: read.isScalar(like: 0)) ? read : .string(section)
    }
    var hasOthers = false
    for other in table.sections.lazy.compactMap({ self.value(at: path, in: $0) }) where other != .null {
      guard read.isScalar(like: other) else { return .string(section) }
      hasOthers = true
    }
    return hasOthers ? read : .string(section)
  }

  /// A member of a section's first item; nil where it hasn't got it.
  private func value(at path: [String], in section: Section) -> JSONValue? {
    guard let row = section.rows.first, let bytes = content.result?.item(row.id)?.bytes,
      let item = try? JSONValue(parsing: bytes)
    else { return nil }
    return path.reduce(Optional(item)) { $0?[$1] }
  }

  /// Where sections are sorted, or an item's other members decide its place, the asked place can't be had: then nothing
  /// is changed.
  ///
  /// - Parameter row: the item's, or any of them: it has one in each section that shows it.
  func verify(_ target: Target, row: String) throws(TableError) {
    guard let section = target.section else { return }
    let row = self.row(row, in: section)
    guard let place = place(of: row) else {
      guard content.result?.item(row)?.hasRow == true else {
        throw .unprocessable("The item is in no section of `\(name)` then.", field: "section")
      }
      // Its section's limit keeps it out of sight, behind the last row that is shown.
      guard let index = target.index else { return }
      throw .unprocessable(
        "The limit of section `\(section)` keeps row `\(row)` out of sight: it can't stand at \(index).",
        field: "at"
      )
    }
    guard place.section.id.isExactly(section) else {
      throw .unprocessable("The item belongs to section `\(place.section.id)`, not `\(section)`.", field: "section")
    }
    if let index = target.index, place.index != index {
      throw .unprocessable(
        "Section `\(section)` is sorted: row `\(row)` stands at \(place.index), not \(index).",
        field: "at"
      )
    }
    if let neighbor = target.neighbor { try verify(row, at: place, beside: neighbor) }
  }

  /// The same of a place beside a row.
  private func verify(_ row: String, at place: (section: Section, index: Int), beside neighbor: Target.Neighbor)
    throws(TableError)
  {
    let (section, name) = (place.section, self.row(neighbor.row, in: place.section.id))
    guard let found = section.rows.firstIndex(of: name, Fingerprint(of: name)) else { return }
    guard place.index != (neighbor.isAfter ? found + 1 : found - 1) else { return }
    throw .unprocessable(
      "Section `\(section.id)` is sorted: row `\(row)` stands at \(place.index), "
        + "not \(neighbor.isAfter ? "after" : "before") row `\(neighbor.row)`, which stands at \(found).",
      field: neighbor.isAfter ? "after" : "before"
    )
  }
}
