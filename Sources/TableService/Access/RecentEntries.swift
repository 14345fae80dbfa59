/// The newest lines of the record of edits, as admins are shown them: bounded in number and bytes, whatever edits have in them.
struct RecentEntries {
  private var lines: [[UInt8]] = []
  private var byteCount = 0

  static let maximumCount = 1000
  static let maximumBytes = 1 << 20

  /// Appends what was written, without the ends of lines.
  mutating func append(_ more: some Sequence<[UInt8]>) {
    for line in more where line.count <= Self.maximumBytes {
      lines.append(line)
      byteCount += line.count
    }
    guard lines.count > Self.maximumCount || byteCount > Self.maximumBytes else { return }
    var gone = 0
    while lines.count - gone > Self.maximumCount || byteCount > Self.maximumBytes {
      byteCount -= lines[gone].count
      gone += 1
    }
    lines.removeFirst(gone)
  }

  /// Newest first.
  func newest(_ count: Int) -> [[UInt8]] { Array(lines.suffix(count).reversed()) }
}
