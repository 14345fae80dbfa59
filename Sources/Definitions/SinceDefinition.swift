public import Expressions

/// How a source asks for what has changed since the last time, and how that is laid over what there is.
public struct SinceDefinition: Sendable {
  /// Of an item: tells it from the others.
  public var key: Expression
  /// What asks for changes, added to the query: sees `$since`.
  public var query: [(name: String, value: Template)] = []
  /// Of an answer: `$since` of the next request; nil: the answer's `Date`, less two seconds.
  public var next: Expression?
  /// Of a changed item: whether it is gone.
  public var deleted: Expression?
  /// How often everything is asked for.
  public var whole = Self.standardWhole

  public static let standardWhole = Duration.seconds(3600)

  public init(key: Expression) { self.key = key }
}
