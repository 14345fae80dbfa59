import TableFinding
import TableModel

/// Two versions, as one kind of those who wait sees them.
struct FoundPair: Hashable {
  var from: Cursor
  var to: Cursor
  var kind: WaitedLenses.Kind
  var appearance: LensTag.Digest?

  /// The size of its search, about.
  var searchBytes: Int { kind.find?.footprint ?? 0 }
}
