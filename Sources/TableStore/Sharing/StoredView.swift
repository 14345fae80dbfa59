public import TableModel

/// A client's own state over a table, as it follows the client from process to process: which rows it has toggled, by
/// their identities.
public struct StoredView: Equatable, Sendable {
  /// Of the view's own cursors.
  public var epoch: Epoch
  /// How many changes there were.
  public var taps: UInt32
  /// States before this tap are no longer known, but for the one before the first.
  public var oldestTap: UInt32
  public var toggles: [Toggle]

  public init(epoch: Epoch, taps: UInt32, oldestTap: UInt32, toggles: [Toggle]) {
    self.epoch = epoch
    self.taps = taps
    self.oldestTap = oldestTap
    self.toggles = toggles
  }

  /// A row that had not its default from one tap until another.
  public struct Toggle: Equatable, Sendable {
    public var row: String
    public var from: UInt32
    /// `.max`: it still has not.
    public var until: UInt32

    public init(row: String, from: UInt32, until: UInt32) { (self.row, self.from, self.until) = (row, from, until) }
  }
}

extension StoredView {
  private static let format: UInt8 = 1

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.write(byte: Self.format)
    writer.write(epoch.rawValue)
    writer.write(UInt64(taps))
    writer.write(UInt64(oldestTap))
    writer.write(count: toggles.count)
    for toggle in toggles {
      writer.write(toggle.row)
      writer.write(UInt64(toggle.from))
      writer.write(UInt64(toggle.until))
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(RecordError) {
    var reader = RecordReader(bytes)
    guard try reader.byte() == Self.format else {
      throw RecordError(description: "a view's record is of an unknown format")
    }
    epoch = Epoch(rawValue: try reader.number())
    taps = UInt32(truncatingIfNeeded: try reader.number())
    oldestTap = UInt32(truncatingIfNeeded: try reader.number())
    toggles = []
    for _ in 0..<(try reader.count(of: 3)) {
      toggles.append(
        Toggle(
          row: try reader.string(),
          from: UInt32(truncatingIfNeeded: try reader.number()),
          until: UInt32(truncatingIfNeeded: try reader.number())
        )
      )
    }
  }
}

/// A store that keeps views for the other processes that share it.
public protocol ViewStore: AnyObject, Sendable {
  /// A view as it was kept last; nil where it was not, or has expired.
  func view(
    _ name: String,
    of table: String,
    completion: @escaping @Sendable (Result<StoredView?, StoreError>) -> Void
  )

  /// Keeps a view for so long. False where it is not what this one is built on (another process has tapped it, or has
  /// forgotten it): read it, tap that, try again.
  ///
  /// - Parameter base: The view that was read or kept before; nil: there is none yet.
  func keep(
    _ view: StoredView,
    _ name: String,
    of table: String,
    after base: StoredView?,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  )
}

/// The one process that has such a store has the views in its memory.
extension ViewStore where Self: SoleStore {
  public func view(
    _ name: String,
    of table: String,
    completion: @escaping @Sendable (Result<StoredView?, StoreError>) -> Void
  ) {
    completion(.success(nil))
  }

  public func keep(
    _ view: StoredView,
    _ name: String,
    of table: String,
    after base: StoredView?,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    completion(.success(true))
  }
}
