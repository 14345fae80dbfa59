import DequeModule

/// Answers to idempotent requests, in memory, within their bounds. O(1) a call, but for the rare key that is given again.
package struct ReplyLedger: Sendable {
  private struct Entry {
    var reply: StoredReply
    var size: Int
    var serial: UInt64
  }

  /// A place in an order; nobody's where the entry of its key has another serial number.
  private struct Place {
    var key: ReplyKey
    var serial: UInt64
  }

  private let bounds: ReplyBounds
  private var entries: [ReplyKey: Entry] = [:]
  private var sums: [String: ReplySum] = [:]
  package private(set) var sum = ReplySum()
  /// The oldest first.
  private var order = Deque<Place>()
  private var orderOfCaller: [String: Deque<Place>] = [:]
  private var nextSerial: UInt64 = 0

  package init(bounds: ReplyBounds) { self.bounds = bounds }

  /// - Parameter now: in seconds since 1970.
  package func reply(_ key: ReplyKey, now: Int64) -> StoredReply? {
    guard let entry = entries[key], entry.reply.expires > now else { return nil }
    return entry.reply
  }

  package mutating func store(_ reply: StoredReply, table: String, now: Int64) {
    expire(now: now)
    let key = reply.fullKey(table: table)
    if entries[key] != nil {
      remove(key)
      order.removeAll { $0.key == key }
      orderOfCaller[key.caller]?.removeAll { $0.key == key }
    }
    let size = reply.size(table: table)
    let place = Place(key: key, serial: nextSerial)
    entries[key] = Entry(reply: reply, size: size, serial: nextSerial)
    nextSerial += 1
    sum.add(size)
    sums[key.caller, default: ReplySum()].add(size)
    order.append(place)
    orderOfCaller[key.caller, default: []].append(place)
    let bound = bounds.bound(of: key.caller)
    while bound.isExceeded(by: sums[key.caller] ?? ReplySum()), removeOldest(of: key.caller) {}
    while bounds.store.isExceeded(by: sum), removeOldest() {}
  }

  /// Forgets the answers of a table.
  mutating func remove(table: String) {
    for key in entries.keys where key.table == table { remove(key) }
    order.removeAll { $0.key.table == table }
    orderOfCaller = orderOfCaller.mapValues { places in places.filter { $0.key.table != table } }
      .filter { !$0.value.isEmpty }
  }

  /// All live for the same time, so the first given is the first to go.
  private mutating func expire(now: Int64) {
    while let first = order.first {
      if let entry = entries[first.key], entry.serial == first.serial, entry.reply.expires > now { return }
      _ = removeOldest()
    }
  }

  /// Takes the oldest place of all; false where there is none.
  private mutating func removeOldest() -> Bool {
    guard let place = order.popFirst() else { return false }
    if entries[place.key]?.serial == place.serial {
      remove(place.key)
      // The caller's oldest, as the orders agree; what stands before it is gone.
      while let first = orderOfCaller[place.key.caller]?.first, first.serial <= place.serial {
        _ = orderOfCaller[place.key.caller]?.popFirst()
      }
      if orderOfCaller[place.key.caller]?.isEmpty ?? false { orderOfCaller[place.key.caller] = nil }
    }
    return true
  }

  private mutating func removeOldest(of caller: String) -> Bool {
    guard let place = orderOfCaller[caller]?.popFirst() else { return false }
    if entries[place.key]?.serial == place.serial { remove(place.key) }
    // Places of what is gone are left in the order of all, up to as many as are there.
    if order.count > 2 * entries.count + 16 { order.removeAll { entries[$0.key]?.serial != $0.serial } }
    return true
  }

  private mutating func remove(_ key: ReplyKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    sum.remove(entry.size)
    sums[key.caller]?.remove(entry.size)
    if sums[key.caller]?.count == 0 { sums[key.caller] = nil }
  }
}
