import Synchronization

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

  /// Makes the translations that it lacks, and ends those that the configuration no longer has: who waits for one asks
  /// again, and is given another.
  func translate(_ blueprint: TableBlueprint) {
    let known = allTranslations
    let wanted = blueprint.locales.dropFirst().map { locale in
      known.first { $0.locale == locale } ?? translation(blueprint, into: locale)
    }
    translations.withLock { $0 = wanted }
    writer.translators.withLock { $0 = wanted.map(\.writer) }
    for old in known where !wanted.contains(where: { $0 === old }) { old.end(.retired) }
  }
}
