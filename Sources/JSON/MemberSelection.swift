/// The members of an object that are read: names, and names below each of them again, where that is an object, too.
public struct MemberSelection: Sendable, Equatable {
  /// All that there is; what `members` says then is part of it.
  public private(set) var isWhole: Bool
  private(set) var members: [Name: MemberSelection] = [:]

  /// A member's name. Names are told apart by their bytes: Swift holds texts equal that are written differently.
  struct Name: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }
    init(stringLiteral text: String) { self.text = text }

    static func == (first: Name, second: Name) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  /// None.
  public init() { isWhole = false }

  private init(isWhole: Bool) { self.isWhole = isWhole }

  public static let whole = MemberSelection(isWhole: true)

  /// The value that names lead to, with all that is in it; no names: the object itself.
  public init(path: some Collection<String>) {
    self.init(isWhole: path.isEmpty)
    if let name = path.first { members[Name(name)] = MemberSelection(path: path.dropFirst()) }
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
