import Dispatch
import Logging
import Synchronization
import TableStore

/// A table goes on with another definition.
extension LiveTable {
  /// Goes on with another definition, that it can be, as a member that it has too: with its version, its rows and its
  /// waiters. The upstream is asked anew, as it is now configured.
  func reconfigure(member blueprint: TableBlueprint, forwarding: ForwardedFields, _ loans: [Loan]) {
    for source in sources { source.stop() }
    writer.leaveAsGuest()
    reconfigure(blueprint, loans)
    writer.comeAsGuest()
    attachSources(blueprint, writer.parameters, forwarding)
    let lease = context.replica.lease
    // Where another replica asks them, that one tells.
    guard !isShared || lease != nil else { return }
    for source in sources { source.start() }
    if let lease { term.store(lease.term, ordering: .releasing) }
  }

  /// Whether it can go on with a definition: not where its items were the service's own and now are not, or the
  /// other way about, nor where another table keeps them now.
  ///
  /// - Parameter keeper: what keeps its local items, if that is another table.
  func canBe(_ blueprint: TableBlueprint, keeper: TableWriter? = nil) -> Bool {
    writer.isLocal == (blueprint.local != nil) && locale == blueprint.locales.first && writer.keeper === keeper
  }

  /// Goes on with another definition, that it can be.
  ///
  /// - Parameter loans: the service's own items that other tables keep.
  func reconfigure(_ blueprint: TableBlueprint, _ loans: [Loan]) {
    forgetSources()
    writer.loans.withLock { $0 = loans }
    do {
      for table in try translate(blueprint) {
        guard !isShared else {
          table.join {}
          continue
        }
        table.begin { [context, name] error in
          guard let error else { return }
          context.logger.error("A table's first version could not be stored", metadata: ["reason": "\(name): \(error)"])
        }
      }
    } catch {
      context.logger.error("A table has fewer languages", metadata: ["table": "\(name)", "reason": "\(error)"])
    }
    for table in all { table.reader.draw(with: blueprint.cells, named: name) }
    for table in allTranslations { table.writer.reconfigure(blueprint, loans, isShared: false) }
    writer.reconfigure(blueprint, loans)
  }
}

extension TableWriter {
  fileprivate var isLocal: Bool { content.queue.sync { content.access { $0.local != nil } } }

  /// - Parameter isShared: nobody else publishes what comes of it: a translation waits for the original.
  fileprivate func reconfigure(_ blueprint: TableBlueprint, _ loans: [Loan], isShared: Bool = true) {
    content.queue.sync {
      content.access { $0.follow(blueprint, loans, shown: feed.latest.table) }
      if isShared { publishContent() }
    }
  }
}
