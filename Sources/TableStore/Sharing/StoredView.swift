public import TableModel

/// A client's own state over a table, as it follows the client from process to process: which rows it has toggled, by
/// their identities.
public struct StoredView: Equatable, Sendable {
  /// The epoch of its table: with another one all views begin anew.
  public var table: Epoch
  /// As the client names it.
  public var name: String
  /// Its holder: of too many views the oldest of the largest holder go. Not a part of the record, but kept beside it.
  public var holder: UInt64
  /// New whenever its past is forgotten.
  public var incarnation: UInt64
  /// How many changes there were.
  public var taps: UInt32
  /// States before this tap are no longer known, but for the one before the first.
  public var oldestTap: UInt32
  public var toggles: [Toggle]

  public init(
    table: Epoch,
    name: String,
    holder: UInt64,
    incarnation: UInt64,
    taps: UInt32,
    oldestTap: UInt32,
    toggles: [Toggle]
  ) {
    (self.table, self.name, self.holder, self.incarnation) = (table, name, holder, incarnation)
    (self.taps, self.oldestTap, self.toggles) = (taps, oldestTap, toggles)
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

/// A view as it is kept.
public struct KeptView: Equatable, Sendable {
  public var view: StoredView
  /// How long it is kept from now on, unless it is used.
  public var remaining: Duration

  public init(_ view: StoredView, remaining: Duration) { (self.view, self.remaining) = (view, remaining) }
}

extension StoredView {
  /// The first byte of a record.
  static let format: UInt8 = 2

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.write(byte: Self.format)
    writer.write(table.rawValue)
    writer.write(name)
    writer.write(incarnation)
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

  init(_ bytes: [UInt8], holder: UInt64) throws(RecordError) {
    self.holder = holder
    var reader = RecordReader(bytes)
    guard try reader.byte() == Self.format else {
      throw RecordError(description: "a view's record is of an unknown format")
    }
    table = Epoch(rawValue: try reader.number())
    name = try reader.string()
    incarnation = try reader.number()
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

/// The answer to a tap, and the table that it is kept for.
public struct TapReply: Equatable, Sendable {
  public var table: String
  public var reply: StoredReply

  public init(table: String, reply: StoredReply) { (self.table, self.reply) = (table, reply) }
}

/// A store that keeps views for the processes that share it.
public protocol ViewStore: AnyObject, Sendable {
  /// A view as it was kept last; nil where it was not, or has expired.
  func view(_ name: String, of table: Epoch, completion: @escaping StoreCompletion<KeptView?>)

  /// Keeps a view for so long. False where it is not what this one is built on (another process has tapped it, or has
  /// forgotten it): read it, tap that, try again. False, too, where the table stands in another epoch.
  ///
  /// - Parameters:
  ///   - record: The table, by the name under which it is stored; nil: whichever epoch it stands in.
  ///   - base: The view that was read or kept before; nil: there is none yet.
  ///   - answer: What is kept with it as the answer to the request that it is of: both or none. Where another process has answered or
  ///     claimed that, it fails with ``StoreError/superseded``.
  func keep(
    _ view: StoredView,
    of record: String?,
    after base: StoredView?,
    for lifetime: Duration,
    answer: TapReply?,
    completion: @escaping StoreCompletion<Bool>
  )

  /// Drops views until so many are left: the least recently tapped or used of whoever holds most, one after the other.
  func limitViews(to count: Int, completion: @escaping StoreCompletion<Void>)

  /// It is in use: keeps it for so long from now on, where it is kept.
  func prolong(_ name: String, of table: Epoch, for lifetime: Duration, completion: @escaping StoreCompletion<Void>)

  /// The views that are kept, of those that were tapped or used last up to so many: for a replica that starts.
  func views(atMost count: Int, completion: @escaping StoreCompletion<[StoredView]>)
}

/// The one process that has such a store has the views in its memory.
extension ViewStore where Self: SingleProcessStore {
  public func view(_ name: String, of table: Epoch, completion: @escaping StoreCompletion<KeptView?>) {
    completion(.success(nil))
  }

  public func keep(
    _ view: StoredView,
    of record: String?,
    after base: StoredView?,
    for lifetime: Duration,
    answer: TapReply?,
    completion: @escaping StoreCompletion<Bool>
  ) {
    completion(.success(true))
  }

  public func limitViews(to count: Int, completion: @escaping StoreCompletion<Void>) {
    completion(.success(()))
  }

  public func prolong(
    _ name: String,
    of table: Epoch,
    for lifetime: Duration,
    completion: @escaping StoreCompletion<Void>
  ) {
    completion(.success(()))
  }

  public func views(atMost count: Int, completion: @escaping StoreCompletion<[StoredView]>) {
    completion(.success([]))
  }
}
