/// Names one version of one table as one client saw it: `<epoch>.<version>`, in a view `.<taps>` behind it, then `~`
/// and the rest of the lens where there is one.
///
/// ```
/// 8f2c61d09a4e.42                     the plain table
/// 8f2c61d09a4e.42.3                   a view in which was tapped three times
/// 8f2c61d09a4e.42.3~r50.v0123…cdef    the same, cut after its first 50 rows
/// ```
///
/// A cursor is written in one way only, so two are equal where their texts are.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// The most characters of a cursor, each `A–Z a–z 0–9 . _ ~ -`.
  public static let maximumLength = 200

  public var epoch: Epoch
  public var version: UInt64
  /// How often was tapped in the view; 0, and not written, without a view and in one where nothing was tapped: it
  /// stands where the plain table does.
  public var taps: UInt64
  /// The text behind `~`, nil without one: opaque here, for a cursor may have been given by another release. This
  /// release reads it as a ``lensTag``.
  public private(set) var lens: String?

  public init(epoch: Epoch, version: UInt64, taps: UInt64 = 0) {
    (self.epoch, self.version, self.taps) = (epoch, version, taps)
  }

  /// - Parameter lens: An empty one is the plain table's, and writes no `~`.
  public init(epoch: Epoch, version: UInt64, taps: UInt64 = 0, lens: LensTag) {
    self.init(epoch: epoch, version: version, taps: taps)
    self.lens = lens.isEmpty ? nil : lens.description
  }

  /// Reads what ``description`` writes; nil for anything else: other characters, leading zeros, version 0, no taps that are
  /// written, a `~` without a lens, more than ``maximumLength``. O(characters).
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    var text = String(text)
    guard let cursor = text.withUTF8({ Self.read($0) }) else { return nil }
    self = cursor
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Cursor? {
    var reader = TagReader(bytes)
    guard let epoch = reader.hexadecimal(digits: 12), reader.take("."), let version = reader.number(), version > 0
    else {
      return nil
    }
    var cursor = Cursor(epoch: Epoch(rawValue: epoch), version: version)
    if reader.take(".") {
      guard let taps = reader.number(), taps > 0 else { return nil }
      cursor.taps = taps
    }
    if reader.isAtEnd { return cursor }
    guard reader.take("~"), !reader.isAtEnd, reader.rest.allSatisfy(admits) else { return nil }
    cursor.lens = String(decoding: reader.rest, as: UTF8.self)
    return cursor
  }

  public var description: String {
    "\(epoch).\(version)" + (taps > 0 ? ".\(taps)" : "") + (lens.map { "~\($0)" } ?? "")
  }

  /// The lens; nil where it is none of this release's, so that it can't be made again (`reset` `lens`). Without a lens,
  /// the empty tag.
  public var lensTag: LensTag? {
    guard let lens else { return LensTag() }
    return LensTag(lens)
  }

  /// Returns whether a client at this cursor has seen everything that `other` stands for: it is of the same epoch, and
  /// neither of its numbers is smaller. Lenses don't count.
  public func isAsNew(as other: Cursor) -> Bool {
    epoch == other.epoch && version >= other.version && taps >= other.taps
  }

  private static func admits(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
