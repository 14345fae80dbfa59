/// A table's place in its history: the number of commits that have changed it, and the stamp of the last one.
///
/// The stamp is the commit's own, so an owner knows the revision that its commit will make before it is written, and
/// can build the next one on it. Two histories of one table, as of a database that lost its end, have other stamps.
public struct Revision: Hashable, Sendable, CustomStringConvertible {
  public let number: UInt64
  public let stamp: UInt64

  public init(number: UInt64, stamp: UInt64) {
    self.number = number
    self.stamp = stamp
  }

  /// The revision of a table of which nothing was ever stored.
  static let none = Revision(number: 0, stamp: 0)

  public var description: String { "\(number).\(String(stamp, radix: 16))" }
}
