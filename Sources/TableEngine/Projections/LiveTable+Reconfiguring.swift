import Definitions
import Logging
import Queues
import Synchronization
import TableMapping
import TableStore

/// A table goes on with another definition.
extension LiveTable {
  /// Goes on with another definition, that it can be, as a member that it has too: with its version, its rows and its
  /// waiters. What is asked otherwise than before is asked anew.
  ///
  /// - Parameters:
  ///   - unchanged: the sources that may go on being asked where they are, as far as the configuration goes.
  ///   - isOutdated: the upstream has something else than when it was asked last.
  /// - Returns: true: its sources are this replica's to ask, which has to take them over first.
  func reconfigure(
    member blueprint: TableBlueprint,
    forwarding: ForwardedFields,
    _ otherLogs: [ItemLog],
    unchanged: Set<String>,
    isOutdated: Bool
  ) async -> Bool {
    let heard = await reconfigure(blueprint, otherLogs.filter { $0 !== writer.log })
    let before = sources
    let next = polledSources(blueprint, writer.variables.parameters, forwarding)
    let replaced = before.filter { source in !next.contains { $0 === source } && source.isReadOnly(by: self) }
    for source in replaced { source.makeRoom() }
    let unheard = move(to: next, heard, unchanged: unchanged)
    settleWithoutFormerSources()
    isToBeHandedOver.store(true, ordering: .releasing)
    // Where another replica asks the sources, that one tells.
    let isAsked = !isShared || context.replica.isLeading
    for source in replaced { source.goOn(with: isAsked ? next.first { $0.name == source.name } : nil) }
    // One that was frozen since the configuration came begins when it is read again.
    guard isAsked, !isAsleep else { return false }
    // Sources that another replica has asked until now are not this one's to go on with.
    guard !isShared || isAskedHere && !isOutdated else { return true }
    KeptMember(table: self).resume { done in
      for (source, isUnheard) in unheard { source.begin(self, isUnheard: isUnheard, isOutdated: isOutdated) }
      // Meanwhile, perhaps.
      if isAsleep { for source in next { source.pause(self) } }
      done()
    }
    return false
  }

  /// Readers wait no longer for sources that it has no more, and are not refused by them: those that it has may have said all already,
  /// and perhaps there are none.
  private func settleWithoutFormerSources() {
    for table in all {
      let writer = table.writer
      writer.content.queue.async {
        guard writer.content.access({ $0.isSettled }) else { return }
        table.settle(true, refusal: writer.upstreamRefusal)
      }
    }
  }

  /// A source that has to tell a table something, though it may go on: what it said last, where the table has nothing of it.
  typealias Unheard = (source: PolledSource, isUnheard: Bool)

  /// Is fed by these sources from now on, and by no others.
  ///
  /// - Parameters:
  ///   - heard: those of which the table has what they said last.
  ///   - unchanged: those that need not say anything again, as far as the configuration goes.
  /// - Returns: those that it has to begin to read anew, where this process asks them.
  func move(to next: [PolledSource], _ heard: AnsweredSources, unchanged: Set<String>) -> [Unheard] {
    let before = sources
    attach(next)
    return next.compactMap { source in
      let isUnheard = !before.contains { $0 === source } || !heard.has(source)
      return isUnheard || !unchanged.contains(source.name) ? (source, isUnheard) : nil
    }
  }

  /// Returns whether it can go on with a definition: not where its own source is another one now, if that is the
  /// service's own.
  ///
  /// - Parameter log: the items of its own source by that definition, if these are the service's.
  func canBe(_ blueprint: TableBlueprint, _ log: ItemLog? = nil) -> Bool {
    writer.log === log && locale == blueprint.locales.first
  }

  /// Goes on with another definition, that it can be.
  ///
  /// - Parameters:
  ///   - otherLogs: other sources of the service's own that it shows or looks up.
  ///   - stored: what is stored of the languages that it lacks, by language (``restoreLanguages(_:)``).
  /// - Returns: the sources that need not say again what they have said.
  func reconfigure(
    _ blueprint: TableBlueprint,
    _ otherLogs: [ItemLog],
    stored: [String: StoredTable] = [:]
  ) async -> AnsweredSources {
    for table in all { table.writer.follow(otherLogs) }
    let historyBytes = context.current.limits.mappingBytes
    for table in all { table.reader.versions.bound(historyBytes: historyBytes) }
    let content = writer.content
    let shown = stored.isEmpty ? nil : await content.queue.run { content.access { $0 } }
    let (new, former) = translate(blueprint, .left, stored, beside: shown)
    for table in former { await end(language: table) }
    for table in new {
      guard !isShared else {
        StoredMember(table: table).join {}
        continue
      }
      // Under a lease that has come meanwhile those that there were are led alone.
      if let lease = context.replica.lease { table.writer.leadIfOfAnotherLease(under: lease.term) }
      await table.begin { [context, name] error in
        guard let error else { return }
        context.logger.error("A table's first version could not be stored", metadata: ["reason": "\(name): \(error)"])
      }
      table.writer.followItems()
    }
    for table in all {
      var variables = table.writer.variables
      variables.environment = blueprint.environment
      table.reader.find(with: TableFinder(blueprint.mapper, variables, memory: context.findMemory))
      await table.reader.draw(with: blueprint.cells, named: name)
    }
    for table in allTranslations { _ = await table.writer.reconfigure(blueprint, otherLogs) }
    let heard = await writer.reconfigure(blueprint, otherLogs)
    // Another language has heard nothing.
    return new.isEmpty ? heard : AnsweredSources()
  }

  // MARK: Languages: tables with epochs and cursors of their own, over one fetch of the sources

  var allTranslations: [LiveTable] { translations.withLock { $0 } }

  /// The table in all its languages.
  var all: [LiveTable] { [self] + allTranslations }

  /// The languages of the original, in the configuration's order; none where it names none.
  package var locales: [String] { all.compactMap(\.locale) }

  /// The table in one of the configuration's languages; itself where it is not translated into that.
  package func localized(_ locale: String?) -> LiveTable {
    guard let locale, locale != self.locale else { return self }
    return translations.withLock { $0.first { $0.locale == locale } } ?? self
  }

  /// Reads what is stored of the languages that it lacks and would have by a definition that it can be. A reload may
  /// still be refused then.
  ///
  /// - Returns: the records, by language.
  /// - Throws: ``StartError`` where one can't be read.
  func restoreLanguages(_ blueprint: TableBlueprint) async throws -> [String: StoredTable] {
    let known = allTranslations
    var stored: [String: StoredTable] = [:]
    for locale in blueprint.locales.dropFirst() where !known.contains(where: { $0.locale == locale }) {
      do { stored[locale] = try await context.restore(StoredName.of(name, in: locale)) } catch {
        throw StartError(description: "table `\(name)`: what is stored of it in `\(locale)` can't be read: \(error)")
      }
    }
    return stored
  }

  /// Makes the translations that it lacks; those that the configuration no longer has are none of its any more.
  ///
  /// - Parameters:
  ///   - origin: of what is stored of a new one that `former` has not.
  ///   - former: the table in whose place this one comes.
  ///   - stored: what is stored of those that it lacks, by language. Of a member nothing is read: how the store has it is found out later.
  ///   - shown: what this table is made of.
  func translate(
    _ blueprint: TableBlueprint,
    _ origin: StoredOrigin,
    replacing former: LiveTable? = nil,
    _ stored: [String: StoredTable] = [:],
    beside shown: TableContent? = nil
  ) -> (new: [LiveTable], former: [LiveTable]) {
    let known = allTranslations
    // Their cursors outlive the process as the original's do.
    let wanted = blueprint.locales.dropFirst().compactMap { locale -> LiveTable? in
      if let table = known.first(where: { $0.locale == locale }) { return table }
      guard isMember || stored[locale] != nil else { return nil }
      let isFormer = former?.allTranslations.contains { $0.locale == locale } ?? false
      return translation(blueprint, into: locale, from: stored[locale], beside: shown, isFormer ? .former : origin)
    }
    translations.withLock { $0 = wanted }
    writer.translations.withLock { $0 = wanted.map(\.writer) }
    return (
      wanted.filter { table in !known.contains { $0 === table } },
      known.filter { table in !wanted.contains { $0 === table } }
    )
  }

  /// Ends a translation: who waits for it is given this table.
  private func end(language former: LiveTable) async {
    // Before another one is made of what it has stored.
    await former.writer.shut()
    former.successor.withLock { $0 = self }
    former.end(.retired)
    if isShared { context.forget(former.writer) }
  }
}
