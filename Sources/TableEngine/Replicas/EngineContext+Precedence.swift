import Definitions
import Dispatch
import Queues
import TableStore

extension EngineContext {
  /// So long are the others given to hear of a configuration before what they write is called otherwise.
  private static let hearing = DispatchTimeInterval.milliseconds(200)

  /// Returns whether a configuration that is about to be taken over counts, of those that replicas have: only then may
  /// it give stored data other names. The others learn of it, and edit that no more.
  ///
  /// Waits for that: where a replica with another configuration of the generation has gone just now, until it is sure
  /// that no other one is left that has it, too.
  ///
  /// - Throws: ``StartError`` where one is left, or the database can't be asked.
  func takesPrecedence(_ definition: ServiceDefinition) async throws -> Bool {
    var rank = ReplicaRank(definition)
    let end = Replica.now + Lease.lifetime / .seconds(1) + 2 * ReplicaRank.solitude
    while true {
      let precedence: Lease.Precedence?
      do { precedence = try await withCallback { store.precedence(Replica.leaseName, completion: $0) }.get() } catch {
        throw StartError(description: "whose configuration counts can't be read: \(error)")
      }
      let now = Replica.now
      if let precedence { rank.learn(precedence.bytes, isHeld: precedence.isHeld, at: now) }
      if rank.isOutranked { return false }
      // Where this process leads, the other configuration is the one that it has had until now.
      if rank.conflict == nil || rank.isAlone(at: now) || replica.lease != nil { break }
      guard now < end else { throw StartError(description: Self.refusal(rank)) }
      await background.sleep(for: Self.hearing)
    }
    // A replica that doesn't hear it now will when it has the database again.
    _ = await withCallback { store.signal("configuration", rank.text, completion: $0) }
    await background.sleep(for: Self.hearing)
    return true
  }

  private static func refusal(_ rank: ReplicaRank) -> String {
    """
    a local source has another name than before, while replicas run with another configuration of generation \
    \(rank.generation): give this one a higher `generation`
    """
  }
}
