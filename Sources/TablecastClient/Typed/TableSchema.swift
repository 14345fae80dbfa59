/// The description of a table in an app's code. `tablecast generate swift` makes it from the configuration's tables.
///
/// ```swift
/// let tasks = client.table(Tables.Tasks())
/// try await tasks.add(.init(title: "Buy milk"), in: .today)
/// try await tasks.patch(row.id, \.done, true)
/// ```
public protocol TableSchema: Sendable {
  associatedtype Item: TableItem
  /// The sections that the configuration names; one that it doesn't is made of its text.
  associatedtype Section: RawRepresentable<String> & Sendable
  associatedtype Action: RawRepresentable<String> & Sendable
  associatedtype Filter: RawRepresentable<String> & Hashable & Sendable
  associatedtype Sort: RawRepresentable<String> & Sendable

  static var name: String { get }
  /// Of a family's member.
  var parameters: [String: String] { get }
}

extension TableSchema {
  public var parameters: [String: String] { [:] }
}

/// An item of a table, as edits write it.
public protocol TableItem: Sendable {
  /// A whole item: what has no default has to be there.
  associatedtype New: Encodable & Sendable
  /// Names of members from the outside in, by the properties that stand for them.
  static func path(of member: PartialKeyPath<Self>) -> [String]?
}

/// Items without declared fields: any JSON.
public enum AnyItem: TableItem {
  public typealias New = JSONText
  public static func path(of member: PartialKeyPath<AnyItem>) -> [String]? { nil }
}

/// A name that the configuration does not list.
public struct AnyName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral text: String) { rawValue = text }
}

/// An edit that was refused, or whose result is unknown. It stays in `TableSnapshot.edits` until it is retried or
/// discarded.
public enum EditFailure: Error, Hashable, Sendable {
  case refused(EditID, Problem)
  case unknown(EditID)
  /// The task was cancelled, or the client has ended. The edit continues if there is a store for it.
  case unfinished(EditID)
}

extension PendingEdit {
  /// Waits until the edit is confirmed. Returns the body of the service's answer.
  ///
  /// - Throws: `EditFailure`.
  @discardableResult
  public func confirmed() async throws -> JSONText {
    switch await outcome() {
    case .confirmed(let answer), .acknowledged(let answer): return answer
    case .refused(let problem): throw EditFailure.refused(id, problem)
    case .unknown: throw EditFailure.unknown(id)
    case .local, .sent: throw EditFailure.unfinished(id)
    }
  }
}
