/// How much of something each of many hold, and that none holds more than its share. Those who hold nothing take no room.
public struct Shares<Key: Hashable & Sendable>: Sendable {
  /// The most that one may hold.
  public let limit: Int
  private var held: [Key: Int] = [:]

  public init(limit: Int) { self.limit = limit }

  /// Gives `key` one more; false where it has its share. O(1).
  public mutating func take(_ key: Key) -> Bool {
    let count = held[key] ?? 0
    guard count < limit else { return false }
    held[key] = count + 1
    return true
  }

  /// `key` holds one less. O(1).
  public mutating func giveBack(_ key: Key) {
    let count = held[key] ?? 0
    held[key] = count > 1 ? count - 1 : nil
  }

  /// Returns the number that `key` holds.
  public func count(of key: Key) -> Int { held[key] ?? 0 }

  /// How many hold anything.
  public var holders: Int { held.count }
}
