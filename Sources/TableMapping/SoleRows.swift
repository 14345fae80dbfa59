internal import Synchronization
internal import TableModel

/// The rows of items that have one each and nothing else, in their order, with the fingerprints of what they are found by:
/// noted while they are at hand, so that nobody has to fetch them item by item again.
struct SoleRows: Sendable {
  let rows: [Row]
  let identities: [Fingerprint]

  /// The notes of rows: each place is written by one thread.
  struct Notes {
    fileprivate let rows: UnsafeMutableBufferPointer<Row>
    fileprivate let identities: UnsafeMutableBufferPointer<Fingerprint>
    fileprivate let gap: Gap

    @inline(__always)
    func note(_ item: MappedItem, at position: Int) {
      guard position < rows.count else { return }
      guard let row = item.soleRow else {
        gap.isThere.store(true, ordering: .relaxed)
        return
      }
      rows.initializeElement(at: position, to: row)
      identities.initializeElement(at: position, to: row.key.identity)
    }
  }

  /// A flag: some item has no row, or more than a row.
  fileprivate final class Gap: Sendable { let isThere = Atomic(false) }

  /// Returns the rows of the items that `body` makes and notes; nil where one of them has no row, or more than a row.
  ///
  /// - Parameter capacity: how many at most; 0: none are noted.
  static func noting(_ capacity: Int, _ body: (Notes) -> [MappedItem]) -> SoleRows? {
    // Room for nothing is never made: it writes to storage that all empty arrays share.
    guard capacity > 0 else {
      _ = body(Notes(rows: .init(start: nil, count: 0), identities: .init(start: nil, count: 0), gap: Gap()))
      return nil
    }
    var identities: [Fingerprint] = []
    let rows = [Row](unsafeUninitializedCapacity: capacity) { rows, count in
      identities = [Fingerprint](unsafeUninitializedCapacity: capacity) { identities, identityCount in
        let gap = Gap()
        let notes = Notes(
          rows: UnsafeMutableBufferPointer(rebasing: rows[..<capacity]),
          identities: UnsafeMutableBufferPointer(rebasing: identities[..<capacity]),
          gap: gap
        )
        let items = body(notes)
        if !gap.isThere.load(ordering: .relaxed) {
          (count, identityCount) = (items.count, items.count)
        } else {
          // The notes are taken back.
          for position in items.indices where items[position].soleRow != nil {
            (rows.baseAddress.map { $0 + position })?.deinitialize(count: 1)
          }
        }
      }
    }
    return rows.isEmpty ? nil : SoleRows(rows: rows, identities: identities)
  }
}

extension MappedItem {
  /// Its row, where there is nothing else to be said of it.
  @inline(__always)
  final var soleRow: Row? { details == nil ? row : nil }
}
