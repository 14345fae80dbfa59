import HTTPServer
import Synchronization
import TableModel

/// The views of all tables: clients' own states, by table and name.
final class ViewDirectory: Sendable {
  struct Standing {
    var cursor: Cursor
    var point: ViewPoint
  }
  enum Origin {
    case point(version: UInt64, ViewPoint)
    case expired, ahead, unknown
  }
  private struct Record {
    var epoch = Epoch.random()
    var taps: [(identity: Fingerprint, count: UInt64)] = []
    func point(_ count: UInt64) -> ViewPoint {
      var toggled: Set<Fingerprint> = []
      for tap in taps where tap.count <= count {
        if toggled.remove(tap.identity) == nil { toggled.insert(tap.identity) }
      }
      return ViewPoint(toggled: toggled)
    }
    var count: UInt64 { UInt64(taps.count) }
  }
  private let records = Mutex<[String: Record]>([:])

  func topic(view: String) -> Topic { Topic(rawValue: Fingerprint(of: "view \(view)").rawValue) }

  func standing(view: String, table: String, version: UInt64) -> Standing? {
    records.withLock { $0["\(table)\u{0}\(view)"] }.map {
      Standing(cursor: Cursor(epoch: $0.epoch, version: version << 20 | $0.count), point: $0.point($0.count))
    }
  }

  func origin(of cursor: Cursor, view: String, table: String) -> Origin {
    guard let record = records.withLock({ $0["\(table)\u{0}\(view)"] }), record.epoch == cursor.epoch else {
      return .unknown
    }
    let count = cursor.version & 0xFFFFF
    guard count <= record.count else { return .ahead }
    return .point(version: cursor.version >> 20, record.point(count))
  }

  func tap(_ row: Fingerprint, view: String, table: String) {
    records.withLock { records in
      var record = records["\(table)\u{0}\(view)"] ?? Record()
      record.taps.append((row, record.count + 1))
      records["\(table)\u{0}\(view)"] = record
    }
  }
}
