import Dispatch

extension PostgresStore {
  /// How often others' revisions are looked at: notifications may be lost with a connection.
  private static let period: DispatchTimeInterval = .seconds(2)

  /// So many looks later expired views are deleted.
  private static let looksBetweenExpiries = 30

  /// Makes the connections; `connected` is told when both are there.
  func begin(connected: @escaping @Sendable () -> Void) {
    side.onNotification = { [weak self] payload, process in self?.receive(payload, from: process) }
    main.onChange = { [weak self] _ in self?.reach(connected) }
    side.onChange = { [weak self] isUp in
      self?.reach(connected)
      if isUp { self?.look() }
    }
    main.connect()
    side.connect()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + Self.period, repeating: Self.period, leeway: .milliseconds(200))
    timer.setEventHandler { [weak self] in self?.look() }
    timer.activate()
    lookTimer = timer
  }

  /// A connection came up, or was lost: what others have said meanwhile may not have been heard.
  private func reach(_ connected: () -> Void) {
    let isUp = main.isUp && side.isUp
    observers.tell(.reachable(isUp))
    if isUp { connected() }
  }

  /// A notification: `m REVISION STAMP NAME`, `r NAME`, `l NAME`, `s NAME TEXT`; names and texts in digits.
  private func receive(_ payload: String, from process: Int32) {
    // One's own is no news.
    guard process != main.process, process != side.process else { return }
    let words = payload.split(separator: " ", omittingEmptySubsequences: false)
    switch (words.first, words.count) {
    case ("m", 4):
      guard let number = UInt64(words[1]), let stamp = UInt64(words[2]), let table = text(words[3]) else { return }
      let revision = Revision(number: number, stamp: stamp)
      if tables[table]?.revision != revision { observers.tell(.moved(table: table, revision: revision)) }
    case ("r", 2): if let table = text(words[1]) { observers.tell(.removed(table: table)) }
    case ("l", 2): if let lease = text(words[1]) { observers.tell(.leaseFree(lease)) }
    case ("s", 3):
      if let name = text(words[1]), let text = text(words[2]) { observers.tell(.signal(name: name, text: text)) }
    default: break
    }
  }

  private func text(_ digits: Substring) -> String? {
    let digits = Array(digits.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Looks where the tables in use stand, and tells of those that others have moved.
  private func look() {
    guard side.isUp else { return }
    looks += 1
    if looks % Self.looksBetweenExpiries == 0 { side.run([Self.viewExpiry]) { _ in } }
    guard !tables.isEmpty else { return }
    let known = tables.values.map { ($0.id, $0.name) }
    let question = PostgresStatement(
      "SELECT id, revision, stamp FROM tablecast.feed WHERE id = ANY($1::bigint[])",
      .ints(known.map(\.0))
    )
    side.run([question]) { [self] result in
      guard case .success(let answers) = result, let found = answers.first else { return }
      var revisions: [Int64: Revision] = [:]
      for row in 0..<found.count {
        revisions[found.int(row, 0)] = Revision(number: found.unsigned(row, 1), stamp: found.unsigned(row, 2))
      }
      for (id, name) in known {
        // A table that was read or written meanwhile is newer than this answer, or another table.
        guard let table = tables[name], table.id == id else { continue }
        guard let revision = revisions[id] else {
          observers.tell(.removed(table: name))
          continue
        }
        if table.revision != revision { observers.tell(.moved(table: name, revision: revision)) }
      }
    }
  }
}
