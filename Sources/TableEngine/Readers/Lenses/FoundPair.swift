import TableFinding
import TableModel

/// Two versions, as one kind of those who wait sees them.
struct FoundPair: Hashable {
  var from: Cursor
  var to: Cursor
  var kind: WaitedLenses.Kind
  var appearance: LensTag.Digest?

  /// The same of two other versions.
  func with(from: Cursor, to: Cursor) -> FoundPair {
    FoundPair(from: from, to: to, kind: kind, appearance: appearance)
  }

  /// The size of its search, about.
  var searchBytes: Int { kind.find?.footprint ?? 0 }
}
