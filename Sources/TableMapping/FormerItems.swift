internal import JSON
internal import TableModel

/// Items of the last mapping that don't stand where they stood, to be found by their bytes.
///
/// Made when the first of them is looked for: a refresh that leaves everything in its place, or changes it there, hashes
/// nothing that it had before.
struct FormerItems {
  private let source: CachedSource
  private let index: IdentityTable

  /// - Parameter places: among the source's items.
  /// - Complexity: O(bytes) of these.
  init(_ source: CachedSource, at places: some Collection<Int>) {
    self.source = source
    var index = IdentityTable(capacity: places.count)
    // Of identical items the table keeps the first few: each stands for them all.
    for place in places {
      let fingerprint = source.texts.withBytes(of: place) { Fingerprint(of: $0) }
      index.insert(place, under: Self.combined(fingerprint, source.items[place].givenID))
    }
    self.index = index
  }

  /// Returns the place of an item with these bytes.
  func place(of bytes: UnsafeRawBufferPointer, givenID: String?) -> Int? {
    index.first(Self.combined(Fingerprint(of: bytes), givenID)) { source.has(bytes, givenID, at: $0) }
  }

  private static func combined(_ fingerprint: Fingerprint, _ givenID: String?) -> Fingerprint {
    givenID.map { fingerprint.combined(with: Fingerprint(of: $0)) } ?? fingerprint
  }
}
