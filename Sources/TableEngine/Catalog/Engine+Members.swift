import Definitions
import Dispatch
import Queues
import TableStore

/// The members of families that replicas share, as this one hears of them.
extension Engine {
  /// Another replica asks the sources than before, or has not heard which members are read here.
  func claimMembers() {
    for family in catalog.families {
      family.lapse()
      family.claimAll()
    }
  }

  /// Another replica's clients read them.
  func accept(_ claims: [MemberClaim]) {
    context.background.async { [self] in
      let catalog = catalog
      for claim in claims where context.replica.isLeading {
        guard let (family, reference) = catalog.family(of: claim.name) else { continue }
        family.accept(claim, reference)
      }
    }
  }

  /// Leaves where the members stand. `completion` is called on any queue; false: not all of it could be stored.
  func handOverMembers(under lease: Lease, isLast: Bool, _ completion: @escaping @Sendable (_ isLeft: Bool) -> Void) {
    let areLeft = JoinedCalls(true) { $0 = $0 && $1 }
    for family in catalog.families { family.handOver(under: lease, isLast: isLast, areLeft.begin()) }
    areLeft.notify(on: context.background, completion)
  }

  func accept(_ refusal: MemberRefusal) {
    guard let (family, table) = catalog.member(named: refusal.name) else { return }
    family.refuse(table, refusal)
  }

  /// Takes notice that the data under a stored name is gone: a table that always lives is made anew by the next commit.
  func removed(_ storedName: String) {
    guard let (family, table) = catalog.member(named: StoredName.parts(of: storedName).table) else { return }
    family.vanish(table)
  }

  /// This replica asks the sources: what the store has of members is its own to keep, within its limits, and to remove.
  func adoptMembers() {
    guard context.replica.isShared else { return }
    context.store.members { [self] result in
      guard case .success(let names) = result else { return }
      context.background.async { [self] in sort(names) }
    }
  }

  private func sort(_ names: [String]) {
    let catalog = catalog
    guard let lease = context.replica.lease else { return }
    var (kept, stray): ([String: [TableReference]], [String]) = ([:], [])
    var callers: [String] = []
    let originals = Set(names)
    for name in names {
      let (table, locale) = StoredName.parts(of: name)
      guard let (family, reference) = catalog.family(of: table), family.shares(reference) else {
        stray.append(name)
        continue
      }
      if reference.partedFromCaller.digest != nil {
        callers.append(name)
      } else if let locale {
        // One that is being begun here has its languages stored first.
        let hasOriginal = originals.contains(table) || catalog.member(named: table) != nil
        if !hasOriginal || !catalog.definition.locales.dropFirst().contains(locale) { stray.append(name) }
      } else {
        kept[family.name, default: []].append(reference)
      }
    }
    for family in catalog.families { family.adopt((kept[family.name] ?? [])[...]) }
    // No family has them any more.
    context.store.remove(stray, fence: lease) { _ in }
    removeUnclaimed(callers, under: lease)
  }

  /// Of members that depend on who asks only those who have them know of what they are made: they are kept for as long as it
  /// takes until all replicas have claimed theirs.
  private func removeUnclaimed(_ names: [String], under lease: Lease) {
    guard !names.isEmpty else { return }
    context.background.asyncAfter(deadline: .now() + .seconds(Int(3 * TableFamily.claimPeriod))) { [weak self] in
      guard let self, context.replica.lease?.term == lease.term else { return }
      let catalog = catalog
      let unclaimed = names.filter { catalog.member(named: StoredName.parts(of: $0).table) == nil }
      context.store.remove(unclaimed, fence: lease) { _ in }
    }
  }
}
