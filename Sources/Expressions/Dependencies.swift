/// The roots that an expression or template reads. A value that depends on the item alone stays the same as long as the
/// item does.
public struct Dependencies: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `$item`, and names without a root.
  public static let item = Dependencies(rawValue: 1)
  public static let index = Dependencies(rawValue: 2)
  public static let key = Dependencies(rawValue: 4)
  public static let count = Dependencies(rawValue: 8)
  public static let response = Dependencies(rawValue: 16)
  public static let parameters = Dependencies(rawValue: 32)
  public static let environment = Dependencies(rawValue: 64)
  public static let id = Dependencies(rawValue: 128)
  public static let edit = Dependencies(rawValue: 256)
  /// `$items`: the section's.
  public static let items = Dependencies(rawValue: 512)
  public static let pages = Dependencies(rawValue: 1024)
  public static let status = Dependencies(rawValue: 2048)
  public static let cursor = Dependencies(rawValue: 4096)
  /// `$locale`, or a filter that writes in it.
  public static let locale = Dependencies(rawValue: 8192)
  public static let caller = Dependencies(rawValue: 16384)
  /// Items that the table's lookups find: ``Expression/lookups`` has the names.
  public static let lookups = Dependencies(rawValue: 32768)

  /// The item around, where the table's rows stand in others.
  public static let parent = Dependencies(rawValue: 65536)
  public static let since = Dependencies(rawValue: 131_072)

  /// The roots as they are written: `$item`, `$items` …
  public var names: [String] {
    Path.Root.named.filter { contains(Path(root: $0.root).dependencies) }.map { "$\($0.name)" }
  }
}
