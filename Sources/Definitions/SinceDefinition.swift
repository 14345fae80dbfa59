public import Expressions

/// How a source asks for what has changed since the last time, and how that is laid over what there is.
public struct SinceDefinition: Sendable {
  /// An expression of an item that tells it from the others.
  public var key: Expression
  /// The members that are added to the query to ask for changes; they see `$since`.
  public var query: [(name: String, value: Template)] = []
  /// An expression of an answer: `$since` of the next request; nil: the answer's `Date`, less two seconds.
  public var next: Expression?
  /// An expression of a changed item: true if the item is gone.
  public var deleted: Expression?
  /// How often everything is asked for.
  public var whole = Self.standardWhole

  public static let standardWhole = Duration.seconds(3600)

  public init(key: Expression) { self.key = key }
}
