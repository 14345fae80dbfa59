import TableStore

/// Under which name the store keeps the items of each of the service's own sources.
///
/// Tables come and go with configurations, also between two runs of the service, and one that has kept a source's items may
/// be gone, or show another source, when they are wanted again. So it is written down which one has them. Items that no table
/// keeps any more, where their table needs its place for others, are put aside.
///
/// In a store that replicas share whoever asks the sources writes it down, as its configuration counts; and whoever takes items
/// over, which only such a one does.
struct ItemPlaces {
  /// By the sources' names.
  private var places: [String: String] = [:]
  private var stored: [String: String] = [:]

  /// No table's own name has an `@`.
  private static let record = "@keepers"
  static func aside(_ source: String) -> String { "@items.\(source)" }

  /// - Throws: where it can't be read.
  init(_ tables: inout StoredTables) throws {
    stored = try tables.table(Self.record).objects.mapValues { String(decoding: $0, as: UTF8.self) }
    places = stored
  }

  var isEmpty: Bool { places.isEmpty }

  subscript(source: String) -> String? {
    get { places[source] }
    set { places[source] = newValue }
  }

  /// The source whose items are kept under a name.
  func source(of name: String) -> String? { places.first { $0.value == name }?.key }

  /// Writes down what is new.
  ///
  /// - Throws: where it can't be written.
  func write(_ context: EngineContext) throws {
    var commit = Commit(table: Self.record, durability: .full)
    for source in Set(places.keys).union(stored.keys) where places[source] != stored[source] {
      commit.objects.append(ObjectChange(row: source, bytes: places[source].map { Array($0.utf8) }))
    }
    try context.commit(commit)
  }
}
