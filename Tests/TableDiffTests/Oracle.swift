import TableModel

/// What a changeset must contain, counted by definition and without hurry: sets, and a quadratic LIS.
struct Oracle: Equatable, CustomStringConvertible {
  var sectionDeletes = 0
  var sectionInserts = 0
  var sectionMoves = 0
  var sectionUpdates = 0
  var rowDeletes = 0
  var rowInserts = 0
  var rowMoves = 0
  var rowUpdates = 0
  var stages = 0

  var description: String {
    "sections -\(sectionDeletes) +\(sectionInserts) >\(sectionMoves) ~\(sectionUpdates), "
      + "rows -\(rowDeletes) +\(rowInserts) >\(rowMoves) ~\(rowUpdates), stages \(stages)"
  }

  /// Counts what stands in a changeset.
  init(_ changeset: Changeset) {
    stages = changeset.stages.count
    for stage in changeset.stages {
      sectionDeletes += stage.sections.delete.count
      sectionInserts += stage.sections.insert.count
      sectionMoves += stage.sections.move.count
      sectionUpdates += stage.sections.update.count
      rowDeletes += stage.rows.delete.count
      rowInserts += stage.rows.insert.count
      rowMoves += stage.rows.move.count
      rowUpdates += stage.rows.update.count
    }
  }

  /// Counts what must stand in one.
  init(from old: Table, to new: Table) {
    let oldIDs = old.sections.map(\.id)
    let common = new.sections.map(\.id).filter(oldIDs.contains)
    let oldPlaces = common.map { id in oldIDs.firstIndex(of: id) ?? 0 }
    sectionDeletes = old.sections.count - common.count
    sectionInserts = new.sections.count - common.count
    let longest = Self.longestIncreasingSubsequence(oldPlaces)
    sectionMoves = common.count - longest

    // Rows of sections that stay, by identity: their section and content. The others come and go with theirs.
    let oldStaying = old.sections.filter { common.contains($0.id) }
    let newStaying = new.sections.filter { common.contains($0.id) }
    let oldRows = Self.places(oldStaying)
    let newRows = Self.places(newStaying)
    var busy: Set<String> = []
    for (id, place) in oldRows {
      guard let newPlace = newRows[id] else {
        rowDeletes += 1
        busy.insert(place.section)
        continue
      }
      if place.section != newPlace.section {
        rowMoves += 1
        busy.formUnion([place.section, newPlace.section])
      }
      if place.bytes != newPlace.bytes { rowUpdates += 1 }
    }
    for (id, place) in newRows where oldRows[id] == nil {
      rowInserts += 1
      busy.insert(place.section)
    }
    for section in newStaying {
      guard let oldSection = oldStaying.first(where: { $0.id == section.id }) else { continue }
      if section.header?.encoded != oldSection.header?.encoded || section.footer?.encoded != oldSection.footer?.encoded
        || section.skipped != oldSection.skipped
      {
        sectionUpdates += 1
      }
      let oldOrder = oldSection.rows.map(\.id)
      let staying = section.rows.compactMap { row in oldOrder.firstIndex(of: row.id) }
      let moves = staying.count - Self.longestIncreasingSubsequence(staying)
      rowMoves += moves
      if moves > 0 { busy.insert(section.id) }
    }

    let hasChanges =
      sectionDeletes + sectionInserts + sectionMoves + sectionUpdates > 0
      || rowDeletes + rowInserts + rowMoves + rowUpdates > 0 || !Self.haveSameAttributes(old, new)
    // One stage will do if some longest subsequence keeps every busy section where it is.
    let canStay = Self.hasIncreasingSubsequence(oldPlaces, length: longest) { busy.contains(common[$0]) }
    stages = hasChanges ? (canStay ? 1 : 2) : 0
  }

  private struct Place {
    let section: String
    let bytes: [UInt8]
  }

  private static func places(_ sections: [Section]) -> [String: Place] {
    var result: [String: Place] = [:]
    for section in sections {
      for row in section.rows { result[row.id] = Place(section: section.id, bytes: row.encoded) }
    }
    return result
  }

  static func longestIncreasingSubsequence(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (index, value) in values.enumerated() {
      var length = 1
      for before in 0..<index where values[before] < value { length = max(length, lengths[before] + 1) }
      lengths.append(length)
    }
    return lengths.max() ?? 0
  }

  /// By trying all of them.
  private static func hasIncreasingSubsequence(
    _ values: [Int],
    length: Int,
    containing isRequired: (Int) -> Bool
  ) -> Bool {
    var required = 0
    for index in values.indices where isRequired(index) { required |= 1 << index }
    return (0..<(1 << values.count)).contains { subset in
      guard subset & required == required, subset.nonzeroBitCount == length else { return false }
      let chosen = values.indices.filter { subset >> $0 & 1 == 1 }.map { values[$0] }
      return zip(chosen, chosen.dropFirst()).allSatisfy { $0 < $1 }
    }
  }

  private static func haveSameAttributes(_ old: Table, _ new: Table) -> Bool {
    old.state == new.state && old.problem == new.problem && old.title == new.title && old.animation == new.animation
      && old.counts == new.counts && old.window == new.window
  }
}
