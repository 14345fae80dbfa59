internal import Expressions

/// The keys by which one lookup was asked for an item: one, those of a list, or none.
enum SoughtKeys: Sendable {
  /// The lookup's `on` is null, an object, or can't be evaluated.
  case none
  case one(LookupKey)
  /// `on` is a list: its texts and numbers, in their order.
  case many([LookupKey])

  init(_ value: Value) {
    if value.kind == .array {
      self = .many((value.elements ?? []).compactMap { LookupKey($0) })
    } else {
      self = LookupKey(value).map(Self.one) ?? .none
    }
  }

  func contains(where predicate: (LookupKey) -> Bool) -> Bool {
    switch self {
    case .none: false
    case .one(let key): predicate(key)
    case .many(let keys): keys.contains(where: predicate)
    }
  }

  func forEach(_ body: (LookupKey) -> Void) {
    switch self {
    case .none: break
    case .one(let key): body(key)
    case .many(let keys): keys.forEach(body)
    }
  }
}
