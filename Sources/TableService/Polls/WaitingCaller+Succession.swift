import TableEngine
import TableModel
import TableStore

/// The tables that those who wait go on at.
extension WaitingCaller {
  /// The table in the place of one that the caller waits for, as a new request of it would find: one that is made anew, or the
  /// same in another language, where a configuration that was read meanwhile has others. Nil: it is in its own.
  ///
  /// - Parameter ending: of the table.
  func successor(of table: LiveTable, _ ending: WaitEnding?) -> LiveTable? {
    let heir: LiveTable
    switch ending {
    case .replaced(let next)?: heir = next
    case nil where isUnderAnother: heir = table
    case .withoutNews?, .refused?, nil: return nil
    }
    let shown = heir.shown(to: languages)
    return shown === table ? nil : shown
  }
}

extension LiveTable {
  /// The same table in the language that such callers are given.
  func shown(to languages: LanguagePreferences) -> LiveTable {
    let original = untranslated
    return original.localized(languages.locale(of: original.locales))
  }

  /// Returns whether those who wait here are sent back to ask again, rather than led on to another table: replicas share that one, and
  /// only the store can tell that it has not given their cursor, which a new request waits for.
  func isBarred(from next: LiveTable, _ query: TableQuery) -> Bool {
    guard isMember != next.isMember || locale != next.locale, let after = query.after,
      after.epoch != next.current.cursor.epoch
    else { return false }
    return next.isBehind(LensRequest(view: query.lens.view), after: after, waits: true)
  }
}
