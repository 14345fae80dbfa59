internal import JSON

/// The proof that an answer is a second page of a list.
enum PageProof {
  case proved(String, items: [JSONValue])
  case refuted(String)

  /// - Parameter identities: those that are not unique over both pages are taken away, where others are left.
  init(_ answer: APIAnswer?, list: ItemList, first: [JSONValue], _ identities: inout [IdentityGuess]) {
    guard let answer else {
      self = .refuted("the second page gave no JSON")
      return
    }
    guard answer.isSuccess else {
      self = .refuted("the second page's status is \(answer.status)")
      return
    }
    guard let second = list.items(in: answer.body) else {
      self = .refuted("the second page has no list in that place")
      return
    }
    guard !second.isEmpty else {
      self = .refuted("the second page is empty")
      return
    }
    guard Self.areAlike(first, second) else {
      self = .refuted("the second page's items are of another shape")
      return
    }
    guard let (identity, fresh) = Self.identity(first, second, identities) else {
      self = .refuted("the second page has the same items")
      return
    }
    identities = identities.filter { $0 == identity || $0.isContent || Self.isUnique($0, first, second) }
    if let index = identities.firstIndex(of: identity) { identities.insert(identities.remove(at: index), at: 0) }
    self = .proved(
      "page 2 has \(fresh.grouped) other items of the same shape",
      items: second.filter { item in
        // An item that has moved from one page to the other meanwhile counts once.
        identity.identity(of: item).map { text in !first.contains { identity.identity(of: $0) == text } } ?? true
      }
    )
  }

  /// Half of what the items of one page have, those of the other have too.
  private static func areAlike(_ first: [JSONValue], _ second: [JSONValue]) -> Bool {
    func names(_ items: [JSONValue]) -> Set<String> { Set(items.prefix(50).flatMap { ($0.members ?? []).map(\.name) }) }
    let (former, latter) = (names(first), names(second))
    return former.intersection(latter).count * 2 >= max(former.count, latter.count)
  }

  /// By what the pages differ, and how many items are new: nine tenths, as some may have moved meanwhile.
  private static func identity(_ first: [JSONValue], _ second: [JSONValue], _ identities: [IdentityGuess]) -> (
    IdentityGuess, Int
  )? {
    for identity in identities {
      let former = Set(first.compactMap(identity.identity))
      let latter = second.compactMap(identity.identity)
      let fresh = latter.filter { !former.contains($0) }.count
      if latter.count == second.count, Set(latter).count == latter.count, fresh * 10 >= latter.count * 9 {
        return (identity, fresh)
      }
      // The likeliest identity says that they are the same.
      if identity == identities.first, fresh * 2 < latter.count { return nil }
    }
    return nil
  }

  private static func isUnique(_ identity: IdentityGuess, _ first: [JSONValue], _ second: [JSONValue]) -> Bool {
    let all = (first + second).compactMap(identity.identity)
    // An overlap of the pages by an item or two is no evidence against it.
    return Set(all).count * 10 >= all.count * 9
  }
}
