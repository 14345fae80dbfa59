import Synchronization
import TableModel
import TableStore

/// The drawing of a version's rows by lenses. On any queue.
///
/// A cursor says how the rows of its version were drawn, and no more: another set of cells that draws them alike,
/// another replica's or a later configuration's, goes on from there.
extension TableReader {
  /// The version that a cursor names, where it is held. O(1).
  func held(_ cursor: Cursor) -> Version? {
    cursor.epoch == versions.epoch ? versions.version(cursor.version) : nil
  }

  /// The version that shows what a client at a cursor has: its own, or the oldest one held, where it is known that nothing came
  /// between the two that its window, or the whole table, shows. O(1), or what ``ForgottenChanges`` takes.
  ///
  /// - Parameter search: of the request, which the cursor may have a digest of.
  func standing(at cursor: Cursor, _ search: FindSearch?) -> Version? {
    if let held = held(cursor) { return held }
    if let find = cursor.lensTag?.find { return standing(at: cursor, finding: find, or: search) }
    guard let tag = cursor.lensTag else { return nil }
    // Asked for first: of versions that are forgotten meanwhile more is noted than it takes.
    let oldest = versions.oldest
    let isAffected = forgotten.withLock { noted in
      tag.rows.map { noted?.isAffected($0, after: cursor, until: oldest.cursor) }
        ?? noted?.isAffected(after: cursor, until: oldest.cursor)
    }
    return isAffected == false ? oldest : nil
  }

  /// As it is with the menus and the cells that there are now, and the cells that these versions' rows have: whoever
  /// waits has asked before.
  ///
  /// - Parameter old: the version that the client has; looked for where the lens has cells alone.
  func current(_ lens: Lens, _ version: Version, _ old: @autoclosure () -> Version? = nil) -> Lens {
    guard lens.origin != nil || lens.find != nil else { return lens }
    let lens = withoutMissingMenus(lens)
    guard lens.origin != nil else { return lens }
    let old = old()
    let present = drawing.withLock { $0 }
    let areKnown = drawings.withLock { drawings in
      [version, old].allSatisfy { $0.map { drawings.areKnown($0, present) } ?? true }
    }
    if areKnown { return lens.with(present) }
    let registry = drawing.withLock { registry in
      if let more = registry.knowing(version.rowKinds) { registry = more }
      if let more = old.flatMap({ registry.knowing($0.rowKinds) }) { registry = more }
      return registry
    }
    drawings.withLock { drawings in
      drawings.noteKnown(version, registry)
      if let old { drawings.noteKnown(old, registry) }
    }
    return lens.with(registry)
  }

  /// How a lens draws a version's rows; nil where it shows them as they are. Found out once for all who are shown them so.
  ///
  /// - Parameter lens: as it is with the cells that there are now.
  func drawing(of version: Version, _ lens: Lens) -> CellDrawing? {
    guard let appearance = lens.appearance else { return nil }
    if let known = drawings.withLock({ $0.known(appearance, version) }) { return known }
    let made = drawing.withLock { $0 }.drawing(of: version.rowKinds, appearance)
    drawings.withLock { $0.note(made, appearance, version) }
    return made
  }

  /// Returns whether a client's rows were drawn otherwise than they are here, where this replica's cells are not those
  /// that count. It waits for a replica that has them, rather than be sent to and fro between the two; where there is
  /// none, it is reset.
  func isDrawnElsewhere(_ after: Cursor, _ lens: Lens, _ view: TappedView?) -> Bool {
    guard context.replica.isOverruled, let tag = after.lensTag, let version = held(after) else { return false }
    if tag.cells != drawing(of: version, lens)?.tag { return true }
    guard let view, let digest = tag.view else { return false }
    return digest != view.digest(over: version)
  }
}
