/// The order in which an upstream's edits were accepted, item by item: an answer that comes late is older than what others were answered
/// meanwhile, also where the item looks as it did when the edit was sent. A value without I/O.
struct AcceptedItems: Sendable {
  /// How many edits were accepted: the mark of an edit that is sent now.
  private(set) var count: UInt64 = 0
  /// Of edits accepted until then nothing is known any more.
  private var forgotten: UInt64 = 0
  private var last: [String: Last] = [:]

  private struct Last {
    var edit: UInt64
    /// The last one that may have made the item anew.
    var put: UInt64 = 0
  }

  /// Of more items the earlier ones are forgotten.
  static let most = 4096

  /// Notes an edit.
  ///
  /// - Returns: whether another one has come first since it was sent. A deletion is only overtaken by what may have made the item anew.
  mutating func note(_ edit: Edit, of item: String, sentAt mark: UInt64) -> Bool {
    let before = last[item] ?? Last(edit: forgotten, put: forgotten)
    let isOvertaken = (edit.isDeletion ? before.put : before.edit) > mark
    if last.count >= Self.most, last[item] == nil { (last, forgotten) = ([:], count) }
    count += 1
    last[item] = Last(edit: count, put: edit.isPut || edit.row == nil ? count : before.put)
    return isOvertaken
  }
}
