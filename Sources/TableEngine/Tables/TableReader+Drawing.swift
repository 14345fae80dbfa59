import Synchronization
import TableModel
import TableStore

/// What lenses make of a version's rows. On any queue.
///
/// A cursor says how the rows of its version were drawn, and no more: another set of cells that draws them alike, another
/// replica's or a later configuration's, goes on from there.
extension TableReader {
  /// The version that a cursor names, where it is held. O(1).
  func held(_ cursor: Cursor) -> Version? {
    cursor.epoch == feed.epoch ? feed.version(cursor.version) : nil
  }

  /// The version that shows what a client at a cursor has: its own, or the oldest one held, where it is known that nothing came
  /// between the two that its window shows. O(1), or what ``ForgottenChanges`` takes.
  func standing(at cursor: Cursor) -> Version? {
    if let held = held(cursor) { return held }
    if let find = cursor.lensTag?.find { return standing(at: cursor, finding: find) }
    guard let rows = cursor.lensTag?.rows else { return nil }
    // Asked for first: of versions that are forgotten meanwhile more is noted than it takes.
    let oldest = feed.oldest
    let isAffected = forgotten.withLock { $0?.isAffected(rows, after: cursor, until: oldest.cursor) }
    return isAffected == false ? oldest : nil
  }

  /// As it is with the cells that there are now, and those that these versions' rows have: whoever waits has asked before.
  ///
  /// - Parameter old: the version that the client has; looked for where the lens has cells alone.
  func current(_ lens: Lens, _ version: Version, _ old: @autoclosure () -> Version? = nil) -> Lens {
    guard lens.origin != nil else { return lens }
    let old = old()
    let registry = drawing.withLock { registry in
      if let more = registry.knowing(version.rowKinds) { registry = more }
      if let more = old.flatMap({ registry.knowing($0.rowKinds) }) { registry = more }
      return registry
    }
    return lens.with(registry)
  }

  /// How a lens draws a version's rows; nil where it shows them as they are. Found out once for all who have these cells.
  ///
  /// - Parameter lens: as it is with the cells that there are now.
  func drawing(of version: Version, _ lens: Lens) -> LensTag.Digest? {
    guard let cells = lens.cells else { return nil }
    let key = DrawnVersions.Key(version: version.cursor, cells: cells.digest)
    if let known = drawings.withLock({ $0[key] }) { return known }
    let made = drawing.withLock { $0 }.drawing(of: version.rowKinds, cells)
    drawings.withLock { $0[key] = .some(made) }
    return made
  }

  /// Whether a client has been drawn rows otherwise than they are here, where this replica's cells are not those that count.
  /// It waits for a replica that has them, rather than be set to and fro between the two; where there is none, it is set
  /// back.
  func isDrawnElsewhere(_ after: Cursor, _ lens: Lens, _ view: TappedView?) -> Bool {
    guard context.replica.isOverruled, let tag = after.lensTag, let version = held(after) else { return false }
    if tag.cells != drawing(of: version, lens) { return true }
    guard let view, let digest = tag.view else { return false }
    return digest != view.digest(over: version)
  }
}

/// How sets of cells draw versions, found out once.
struct DrawnVersions {
  struct Key: Hashable {
    var version: Cursor
    var cells: LensTag.Digest
  }
  private var drawings: [Key: LensTag.Digest?] = [:]

  /// Somebody has asked.
  var isUsed: Bool { !drawings.isEmpty }

  subscript(key: Key) -> LensTag.Digest?? {
    get { drawings[key] }
    set {
      // Sets of cells are the clients' to choose.
      if drawings.count >= 4_096 { drawings = [:] }
      drawings[key] = newValue
    }
  }
}
