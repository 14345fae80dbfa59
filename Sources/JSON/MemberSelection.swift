/// Which members of an object are read: names, and below each of them names again, where that is an object, too.
public struct MemberSelection: Sendable, Equatable {
  /// All that there is; what ``members`` says then is part of it.
  public private(set) var isWhole: Bool
  public private(set) var members: [String: MemberSelection] = [:]

  /// None.
  public init() { isWhole = false }

  private init(isWhole: Bool) { self.isWhole = isWhole }

  public static let whole = MemberSelection(isWhole: true)

  /// The value that names lead to, with all that is in it; no names: the object itself.
  public init(path: some Collection<String>) {
    self.init(isWhole: path.isEmpty)
    if let name = path.first { members[name] = MemberSelection(path: path.dropFirst()) }
  }

  /// Adds what another one reads.
  public mutating func formUnion(_ other: MemberSelection) {
    guard !isWhole else { return }
    guard !other.isWhole else {
      self = .whole
      return
    }
    members.merge(other.members) { $0.union($1) }
  }

  public func union(_ other: MemberSelection) -> MemberSelection {
    var sum = self
    sum.formUnion(other)
    return sum
  }
}
