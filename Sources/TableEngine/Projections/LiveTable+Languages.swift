import Synchronization
import TableStore

/// The same table in other languages: tables with epochs and cursors of their own, over one fetch of the sources.
extension LiveTable {
  var allTranslations: [LiveTable] { translations.withLock { $0 } }

  /// The table in all its languages.
  var all: [LiveTable] { [self] + allTranslations }

  /// The table in one of the configuration's languages; itself where it is not translated into that.
  package func localized(_ locale: String?) -> LiveTable {
    guard let locale, locale != self.locale else { return self }
    return translations.withLock { $0.first { $0.locale == locale } } ?? self
  }

  /// Makes the translations that it lacks, and ends those that the configuration no longer has: who waits for one is
  /// given this one.
  ///
  /// - Returns: the new ones.
  /// - Throws: where what is stored of one can't be read; then it has those that it had.
  func translate(_ blueprint: TableBlueprint) throws -> [LiveTable] {
    let known = allTranslations
    // Their cursors outlive the process as the original's do; how the store has those of a member is found out later.
    let wanted = try blueprint.locales.dropFirst().map { locale in
      if let table = known.first(where: { $0.locale == locale }) { return table }
      let stored = isMember ? nil : try context.restore(StoredName.of(name, in: locale))
      return translation(blueprint, into: locale, from: stored)
    }
    translations.withLock { $0 = wanted }
    writer.translators.withLock { $0 = wanted.map(\.writer) }
    for old in known where !wanted.contains(where: { $0 === old }) {
      // Before another one is made of what it has stored.
      old.writer.shut()
      old.successor.withLock { $0 = self }
      old.end(.retired)
      if isShared { context.forget(old.writer) }
    }
    return wanted.filter { table in !known.contains { $0 === table } }
  }
}
