import TableMapping

/// The tables that read one upstream, and whether it is asked: as long as one of them is read itself. A value; whoever
/// changes it carries out what follows while nobody else can change it.
struct SourceReaders {
  private struct Reader {
    weak var table: LiveTable?
    /// Somebody reads the table, too.
    var isReading: Bool
    /// The number of the last content that it was given, or stands for; nil: it has none.
    var heard: UInt64?
    /// An edit was laid over the content that it has, while nobody read it.
    var lacksEdit = false
    /// By what it is found where it is told only of answers that concern it; it then has their content though it has not heard it.
    var key: PartKey?
  }

  enum Pace: Equatable {
    case unstarted, running, suspended
    /// The last table has left: those that come need another one.
    case ended
  }

  /// The upstream's agreement to show a caller's own rows. It lapses with the last reader, and is given by an answer to a later request.
  enum Agreement {
    case given
    /// The last reader has gone. Rows stay hidden, whatever answers are still on their way.
    case lapsed
    /// A new request is under way.
    case asked
  }

  private var readers: [Int: Reader] = [:]
  /// The readers that are told of every answer.
  private var attentive: Set<Int> = []
  private(set) var standing = StandingReaders()
  /// The content that an edit was laid over: tables that have it need not have the same.
  private var edited: UInt64?
  /// Readers whose tables have gone are looked for when there are twice as many as after the last look.
  private var limit = 64
  private(set) var pace = Pace.unstarted
  /// Another source is asked in its place: no table joins it any more, also where one of a former configuration still reads it.
  var isReplaced = false
  private(set) var agreement = Agreement.given
  /// The term of the lease under which the upstream was last taken over from another replica.
  private var term: UInt64?
  /// It is asked where another replica has asked before.
  private(set) var isTakenOver = false
  /// It has answered since then.
  private var isAnswered = false

  /// An action on the upstream.
  enum Action: Equatable {
    case nothing, start, suspend, resume, stop
  }

  var tables: [LiveTable] { readers.values.compactMap(\.table) }
  /// The tables that are read.
  var readTables: [LiveTable] { readers.values.compactMap { $0.isReading ? $0.table : nil } }
  var isEmpty: Bool { readers.values.allSatisfy { $0.table == nil } }
  private var isAnyReading: Bool { readers.values.contains { $0.isReading && $0.table != nil } }

  /// A table is told from now on, once it is read. False where the upstream is asked no more.
  mutating func add(_ table: LiveTable) -> Bool {
    guard pace != .ended, !isReplaced else { return false }
    guard readers[table.number]?.table !== table else { return true }
    if readers.count >= limit {
      for (id, reader) in readers where reader.table == nil { remove(id) }
      limit = max(64, readers.count * 2)
    }
    remove(table.number)
    readers[table.number] = Reader(table: table, isReading: false)
    attentive.insert(table.number)
    return true
  }

  private mutating func remove(_ id: Int) {
    rouse(id)
    readers[id] = nil
    attentive.remove(id)
  }

  /// A reader is told of every answer from now on. Returns whether it was told only of those that concern it: it may lack the last one, which
  /// is being compared, or about to be.
  @discardableResult
  private mutating func rouse(_ id: Int) -> Bool {
    guard let key = readers[id]?.key else { return false }
    readers[id]?.key = nil
    readers[id]?.heard = standing.remove(id, key)
    attentive.insert(id)
    return true
  }

  /// The same of a table.
  mutating func rouse(_ table: LiveTable) -> Bool {
    readers[table.number]?.table === table && rouse(table.number)
  }

  /// - Parameter answer: the one that they have from now on, as they are told of it; nil: the one that they have.
  private mutating func rouseAll(at answer: UInt64? = nil) {
    for (id, number) in standing.removeAll() {
      readers[id]?.key = nil
      readers[id]?.heard = answer ?? number
      attentive.insert(id)
    }
  }

  /// A table is read.
  ///
  /// - Parameters:
  ///   - isUnheard: what it was told before it has no more.
  ///   - term: of the lease under which it is read; nil: under none.
  mutating func begin(_ table: LiveTable, isUnheard: Bool, under term: UInt64? = nil) -> Action {
    if let term { self.term = term }
    guard readers[table.number]?.table === table else { return .nothing }
    readers[table.number]?.isReading = true
    if isUnheard {
      rouse(table.number)
      readers[table.number]?.heard = nil
    }
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
    rouse(table.number)
    readers[table.number]?.isReading = false
    if isForgetting { readers[table.number]?.heard = nil }
    return suspendIfUnread()
  }

  /// A table has gone.
  mutating func end(_ table: LiveTable) -> Action {
    if readers[table.number]?.table === table { remove(table.number) }
    guard isEmpty else { return suspendIfUnread() }
    guard pace != .ended else { return .nothing }
    pace = .ended
    return .stop
  }

  /// The action where this process asks for replicas' common tables from now on.
  enum TakingOver: Equatable {
    /// The upstream was asked under this lease before: what it said last counts for these tables, too.
    case join
    /// It goes on where the replica before has stopped.
    ///
    /// - mayStand: nobody here has an answer of its own. Else a 304 for that replica's answer would be taken for one for it.
    case takeOver(mayStand: Bool)
  }

  /// Tables are read where this process asks from now on.
  mutating func takeOver(_ tables: [LiveTable], under term: UInt64) -> TakingOver {
    let known = tables.filter { readers[$0.number]?.table === $0 }
    guard pace != .ended, !known.isEmpty else { return .join }
    defer { self.term = term }
    // A pause may have come before it was asked, as the lease lapsed.
    guard self.term != term || pace != .running && !isAnswered else { return .join }
    let isReadByOthers = readers.values.contains { reader in
      reader.isReading && reader.table.map { table in !known.contains { $0 === table } } ?? false
    }
    for table in known { _ = begin(table, isUnheard: true) }
    (isTakenOver, isAnswered) = (true, false)
    return .takeOver(mayStand: !isReadByOthers)
  }

  /// Tables have what the last content made, by whatever process it was fetched.
  mutating func stand(_ tables: [LiveTable], at answer: UInt64) {
    for table in tables {
      rouse(table.number)
      readers[table.number]?.heard = answer
    }
  }

  private mutating func suspendIfUnread() -> Action {
    guard pace == .running, !isAnyReading else { return .nothing }
    (pace, agreement) = (.suspended, .lapsed)
    return .suspend
  }

  /// Notes a new request, where the agreement has lapsed. Returns whether one is needed.
  mutating func askAgain() -> Bool {
    guard agreement == .lapsed else { return false }
    agreement = .asked
    return true
  }

  // MARK: Telling

  /// Notes a successful answer.
  mutating func noteAnswer() {
    isAnswered = true
    if agreement == .asked { agreement = .given }
  }

  /// The upstream has said something. Returns whom to tell, and whether they had its last content before.
  ///
  /// - Parameter concernsAll: it concerns also those that are told only of content that does.
  mutating func hear(_ answer: UInt64, concernsAll: Bool) -> [(table: LiveTable, isUpToDate: Bool)] {
    if concernsAll { rouseAll() }
    return attentive.compactMap { id in
      guard let table = readers[id]?.table else { return nil }
      return hear(answer, id).map { (table, $0) }
    }
  }

  /// The same of one table; nil where it is not read.
  mutating func hear(_ answer: UInt64, _ table: LiveTable) -> Bool? {
    guard readers[table.number]?.table === table else { return nil }
    rouse(table.number)
    return hear(answer, table.number)
  }

  /// A table was told of a failure in place of the last content, as that is not known here.
  mutating func miss(_ table: LiveTable) {
    guard readers[table.number]?.table === table else { return }
    readers[table.number]?.heard = nil
  }

  /// Returns whether an edit was laid over what a table has, which it was not told.
  func lacksEdit(_ table: LiveTable) -> Bool { readers[table.number]?.lacksEdit ?? false }

  /// Returns whether a table was given the last content, or stands for it.
  func hasHeard(_ answer: UInt64, _ table: LiveTable) -> Bool {
    guard let reader = readers[table.number], reader.table === table else { return false }
    return reader.key != nil || reader.heard == answer
  }

  private mutating func hear(_ answer: UInt64, _ id: Int) -> Bool? {
    guard let reader = readers[id], reader.isReading else { return nil }
    readers[id]?.heard = answer
    readers[id]?.lacksEdit = false
    return reader.heard == answer
  }

  /// Somebody has laid an edit over the upstream's last content, as a table shows it already. Returns the others that are to be
  /// shown it; nil where that table's content is not the last one.
  ///
  /// Those that nobody reads now are told everything when they are read again.
  mutating func hear(_ answer: UInt64, laidOverBy table: LiveTable) -> [LiveTable]? {
    rouse(table.number)
    guard let own = readers[table.number], own.isReading, own.heard == answer else { return nil }
    edited = answer
    // Also those that have the answer before, while it is found out whom this one concerns.
    rouseAll(at: answer)
    var others: [LiveTable] = []
    for (id, reader) in readers where id != table.number && reader.heard == answer {
      if !reader.isReading {
        readers[id]?.heard = nil
        readers[id]?.lacksEdit = true
      } else if let other = reader.table {
        others.append(other)
      }
    }
    return others
  }

  // MARK: Readers that are told only of what concerns them

  /// A table is told from now on only of content that concerns it.
  ///
  /// - Parameters:
  ///   - key: by which it is found.
  ///   - content: the last one that it was given, with its number.
  /// - Returns: what it has from now on; nil where it is told of all as before.
  mutating func stand(
    _ table: LiveTable,
    _ key: PartKey,
    _ content: SourceContent,
    _ answer: UInt64
  ) -> StandingAnswer? {
    let id = table.number
    // Alone it is told of most answers anyway.
    guard pace == .running, readers.count > 1, let reader = readers[id], reader.table === table, reader.isReading,
      reader.heard == answer, answer != edited, reader.key == nil,
      let standing = standing.insert(id, key, content, answer)
    else { return nil }
    readers[id]?.key = key
    attentive.remove(id)
    return standing
  }

  /// There is another content. Returns what has to be found out of it; empty: nothing, or something is being found out already.
  mutating func beginComparing() -> [StandingReaders.Comparison] { standing.beginComparing() }

  /// It is known whom a content concerns. Returns these, and whether they had the last content before: they are told of all from
  /// now on.
  ///
  /// - Parameter answer: the last content, which may be a newer one.
  mutating func endComparing(
    _ found: [(comparison: StandingReaders.Comparison, keys: Set<PartKey>?)],
    to content: SourceContent,
    _ number: UInt64,
    last answer: UInt64
  ) -> [LiveTable] {
    standing.endComparing(found, to: content, number).compactMap { id in
      readers[id]?.key = nil
      readers[id]?.heard = answer
      attentive.insert(id)
      return readers[id]?.table
    }
  }
}
