/// The tables that read one upstream, and whether it is asked: as long as one of them is read itself. A value; whoever
/// changes it carries out what follows while nobody else can change it.
struct SourceReaders {
  private struct Reader {
    weak var table: LiveTable?
    /// Somebody reads the table, too.
    var isReading: Bool
    /// The number of the last content that it was given, or stands for; nil: it has none.
    var heard: UInt64?
  }

  enum Pace: Equatable {
    case unstarted, running, suspended
    /// The last table has left: those that come need another one.
    case ended
  }

  private var readers: [ObjectIdentifier: Reader] = [:]
  private(set) var pace = Pace.unstarted
  /// The term of the lease under which the upstream was last taken over from another replica.
  private var term: UInt64?

  /// An action on the upstream.
  enum Action: Equatable {
    case nothing, start, suspend, resume, stop
  }

  var tables: [LiveTable] { readers.values.compactMap(\.table) }
  var isEmpty: Bool { readers.values.allSatisfy { $0.table == nil } }
  private var isAnyReading: Bool { readers.values.contains { $0.isReading && $0.table != nil } }

  /// A table is told from now on, once it is read. False where the upstream is asked no more.
  mutating func add(_ table: LiveTable) -> Bool {
    guard pace != .ended else { return false }
    guard readers[ObjectIdentifier(table)]?.table !== table else { return true }
    readers = readers.filter { $0.value.table != nil }
    readers[ObjectIdentifier(table)] = Reader(table: table, isReading: false)
    return true
  }

  private mutating func remove(_ table: LiveTable) { readers[ObjectIdentifier(table)] = nil }

  /// A table is read.
  ///
  /// - Parameters:
  ///   - isUnheard: what it was told before it has no more.
  ///   - term: of the lease under which it is read; nil: under none.
  mutating func begin(_ table: LiveTable, isUnheard: Bool, under term: UInt64? = nil) -> Action {
    if let term { self.term = term }
    guard readers[ObjectIdentifier(table)]?.table === table else { return .nothing }
    readers[ObjectIdentifier(table)]?.isReading = true
    if isUnheard { readers[ObjectIdentifier(table)]?.heard = nil }
    switch pace {
    case .unstarted:
      pace = .running
      return .start
    case .suspended:
      pace = .running
      return .resume
    case .running, .ended: return .nothing
    }
  }

  /// A table is read no more.
  mutating func pause(_ table: LiveTable, isForgetting: Bool) -> Action {
    readers[ObjectIdentifier(table)]?.isReading = false
    if isForgetting { readers[ObjectIdentifier(table)]?.heard = nil }
    return suspendIfUnread()
  }

  /// A table has gone.
  mutating func end(_ table: LiveTable) -> Action {
    remove(table)
    guard isEmpty else { return suspendIfUnread() }
    guard pace != .ended else { return .nothing }
    pace = .ended
    return .stop
  }

  /// The action where this process asks for replicas' common tables from now on.
  enum TakingOver: Equatable {
    /// The upstream is asked already under this lease: what it said last counts for these tables, too.
    case join
    /// It goes on where the replica before has stopped.
    ///
    /// - mayStand: nobody here has an answer of its own. Else a 304 for that replica's answer would be taken for one for it.
    case takeOver(mayStand: Bool)
  }

  /// Tables are read where this process asks from now on.
  mutating func takeOver(_ tables: [LiveTable], under term: UInt64) -> TakingOver {
    let known = tables.filter { readers[ObjectIdentifier($0)]?.table === $0 }
    guard pace != .ended, !known.isEmpty else { return .join }
    defer { self.term = term }
    guard self.term != term || pace != .running else { return .join }
    let isReadByOthers = readers.values.contains { reader in
      reader.isReading && reader.table.map { table in !known.contains { $0 === table } } ?? false
    }
    for table in known { _ = begin(table, isUnheard: true) }
    return .takeOver(mayStand: !isReadByOthers)
  }

  /// Tables have what the last content made, by whatever process it was fetched.
  mutating func stand(_ tables: [LiveTable], at answer: UInt64) {
    for table in tables { readers[ObjectIdentifier(table)]?.heard = answer }
  }

  private mutating func suspendIfUnread() -> Action {
    guard pace == .running, !isAnyReading else { return .nothing }
    pace = .suspended
    return .suspend
  }

  /// The upstream has said something. Returns whom to tell, and whether they had its last content before.
  mutating func hear(_ answer: UInt64) -> [(table: LiveTable, isUpToDate: Bool)] {
    readers.values.compactMap(\.table).compactMap { table in hear(answer, table).map { (table, $0) } }
  }

  /// The same of one table; nil where it is not read.
  mutating func hear(_ answer: UInt64, _ table: LiveTable) -> Bool? {
    guard var reader = readers[ObjectIdentifier(table)], reader.isReading else { return nil }
    defer { readers[ObjectIdentifier(table)] = reader }
    defer { reader.heard = answer }
    return reader.heard == answer
  }

  /// Somebody has laid an edit over the upstream's last content, as a table shows it already. Returns the others that are to be
  /// shown it; nil where that table's content is not the last one.
  ///
  /// Those that nobody reads now are told everything when they are read again.
  mutating func hear(_ answer: UInt64, laidOverBy table: LiveTable) -> [LiveTable]? {
    guard let own = readers[ObjectIdentifier(table)], own.isReading, own.heard == answer else { return nil }
    var others: [LiveTable] = []
    for (id, reader) in readers where id != ObjectIdentifier(table) && reader.heard == answer {
      if !reader.isReading { readers[id]?.heard = nil } else if let other = reader.table { others.append(other) }
    }
    return others
  }
}
