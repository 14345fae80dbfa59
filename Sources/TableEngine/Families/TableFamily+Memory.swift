import Definitions
import Logging
import Synchronization

/// The memory of a family's members, and its bound.
extension TableFamily {
  /// The bytes that its members hold.
  package var byteCount: Int { contents.withLock { $0.members.byteCount } }

  /// Returns the bytes of members that nobody waits for.
  func idleBytes(sparing table: LiveTable?) -> Int {
    contents.withLock { contents in
      contents.members.idleBytes(sparing: nil) { $0.table === table || $0.table.isWaitedFor }
    }
  }

  /// Has members go that nobody waits for, until they have held so much. Returns what they held.
  func release(_ bytes: Int, sparing table: LiveTable?) -> Int {
    let (gone, released) = contents.withLock { contents in
      let before = contents.members.byteCount
      let gone = contents.members.release(bytes, sparing: nil) { $0.table === table || $0.table.isWaitedFor }
      return (gone, before - contents.members.byteCount)
    }
    retire(gone)
    return released
  }

  /// - Returns: what another member is expected to hold.
  /// - Throws: where there is no room for it.
  func makeRoomForAnother() throws(TableError) -> Int {
    let limitOfAll = context.current.limits.membersBytes
    let (expected, gone, limit) = contents.withLock { contents in
      let expected = contents.members.expectedBytes(atLeast: MemberWeight.ofAny, of: limitOfAll)
      let gone = contents.members.makeRoom(for: expected) { $0.table.isWaitedFor }
      return (expected, gone, contents.members.limits.bytes ?? 0)
    }
    guard let gone else { throw MemberMemory.Shortage.ofFamily(name, limit: limit).error }
    retire(gone)
    if let shortage = context.members.makeRoom(for: expected, limit: limitOfAll) { throw shortage.error }
    return expected
  }

  /// A member holds something else now. False: there is no room; where it was its content that grew, it has to go.
  func weigh(_ key: Key, _ table: LiveTable, _ growth: LiveTable.Growth) -> Bool {
    let bytes = table.heldBytes
    let weighed = contents.withLock { contents -> (gone: [Instance], limit: Int, hasRoom: Bool)? in
      guard contents.members.members[key]?.instance.table === table else { return nil }
      let ofItsClient = contents.members.weigh(key, bytes)
      let gone = contents.members.makeRoom(sparing: key) { $0.table.isWaitedFor }
      return (ofItsClient + (gone ?? []), contents.members.limits.bytes ?? 0, gone != nil)
    }
    // Another one is in its place, and what it has become is shown to nobody.
    guard let weighed else { return true }
    retire(weighed.gone)
    let shortage =
      weighed.hasRoom
      ? context.members.makeRoom(limit: context.current.limits.membersBytes, sparing: table)
      : .ofFamily(name, limit: weighed.limit)
    guard let shortage else { return true }
    guard growth == .ofContent else { return false }
    contents.withLock { contents in
      guard contents.members.members[key]?.instance.table === table else { return }
      _ = contents.members.remove(key)
    }
    context.logger.warning(
      "A member of a family has no room",
      metadata: ["family": "\(name)", "bytes": .stringConvertible(bytes), "reason": "\(shortage.error.detail)"]
    )
    table.refuse(for: shortage.error)
    forget(table)
    if table.isShared, context.replica.isLeading {
      context.replica.tell(MemberRefusal(name: table.writer.sharedName, detail: shortage.error.detail))
    }
    return false
  }
}
