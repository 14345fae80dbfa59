/// The query of a request's target as name–value pairs, percent-decoded, `+` read as a blank.
public struct Query: Hashable, Sendable {
  /// One pair; the value is empty where the query has no `=`.
  public struct Item: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request with more pairs is refused: 400.
  public static let maximum = 1000

  /// The pairs in the order of the query.
  public var items: [Item]

  public init(_ items: [Item] = []) { self.items = items }

  /// The value of the first pair called `name`. O(number of pairs).
  public func first(_ name: String) -> String? {
    for item in items where item.name == name { return item.value }
    return nil
  }

  /// The values of all pairs called `name`, in order. O(number of pairs).
  public func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }
}
