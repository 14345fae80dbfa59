/// Bytes that the client has not taken yet. The arrays are shared with whoever made them, not copied.
struct OutputQueue {
  private var chunks: [Chunk] = []
  /// The first chunk that has something left.
  private var first = 0
  /// Bytes in the queue.
  private(set) var count = 0
  /// Bytes of a stream's messages that were appended behind a first one; negative where none waits.
  private var behind = -1

  private struct Chunk {
    var bytes: [UInt8]
    /// The first byte that is left.
    var start: Int
    /// Counts them among all that wait; nil for those that have just come.
    var hold: HeldOutput?
  }

  var isEmpty: Bool { count == 0 }

  /// Appends `bytes` from `start` on. The array is kept whole.
  mutating func append(_ bytes: [UInt8], from start: Int = 0) {
    guard start < bytes.count else { return }
    count += bytes.count - start
    chunks.append(Chunk(bytes: bytes, start: start))
  }

  /// Counts what is in the queue among all that waits, until it is taken. O(chunks that have come since the last time).
  mutating func hold(in budget: OutputBudget, on loop: Int = 0) {
    var index = chunks.count
    while index > first, chunks[index - 1].hold == nil {
      index -= 1
      chunks[index].hold = budget.hold(chunks[index].bytes, on: loop)
    }
  }

  /// Notes that `size` bytes of a stream's message are to be appended; false where more than `backlog` bytes of
  /// messages would wait behind the one that is being taken, which may be of any size.
  mutating func admit(message size: Int, backlog: Int) -> Bool {
    if isEmpty { behind = -1 }
    if behind < 0 {
      behind = 0
      return true
    }
    // No more of them can wait than there are bytes in all.
    behind = min(behind, count) + size
    return behind <= backlog
  }

  /// The queue has been written: whether there were messages of a stream in it.
  mutating func endMessages() -> Bool {
    defer { behind = -1 }
    return behind >= 0
  }

  /// Bytes of the arrays in the queue, those included that are gone.
  var size: Int { chunks[first...].reduce(0) { $0 + $1.bytes.count } }

  /// The next bytes to write: the first chunk, and the offset to begin at.
  var next: (bytes: [UInt8], offset: Int)? { count == 0 ? nil : (chunks[first].bytes, chunks[first].start) }

  /// Appends the beginning of the queue to `bytes`, up to about `limit`: whole chunks, each smaller than that.
  func gather(into bytes: inout [UInt8], limit: Int) {
    var index = first
    while index < chunks.count, bytes.count + chunks[index].bytes.count - chunks[index].start <= limit {
      bytes.append(contentsOf: chunks[index].bytes[chunks[index].start...])
      index += 1
    }
  }

  /// `written` bytes are gone.
  mutating func advance(_ written: Int) {
    count -= written
    var written = written
    while written > 0 {
      let left = chunks[first].bytes.count - chunks[first].start
      if written < left {
        chunks[first].start += written
        return
      }
      written -= left
      chunks[first] = Chunk(bytes: [], start: 0)
      first += 1
    }
    if first == chunks.count {
      chunks = []
      first = 0
    } else if first > 64 {
      chunks.removeFirst(first)
      first = 0
    }
  }
}
