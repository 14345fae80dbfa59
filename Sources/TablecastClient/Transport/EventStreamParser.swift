/// Reads server-sent events as they come, in pieces of any length (WHATWG HTML, "Server-sent events").
struct EventStreamParser: Sendable {
  struct Event: Hashable, Sendable {
    var name = "message"
    var data: [UInt8] = []
    /// The last one that was given, be it by an earlier event.
    var id = ""
  }

  /// A longer event is no event of ours.
  struct TooLong: Error {}

  private let maximumBytes: Int
  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private var followsReturn = false
  private var isAtStart = true

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Takes the next bytes. Returns the events that are whole. O(bytes).
  mutating func take(_ bytes: some Sequence<UInt8>) throws -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      // A line ends by CR, LF, or both.
      if byte == 0x0A, followsReturn {
        followsReturn = false
        continue
      }
      followsReturn = byte == 0x0D
      guard byte == 0x0A || byte == 0x0D else {
        line.append(byte)
        guard line.count + event.data.count <= maximumBytes else { throw TooLong() }
        continue
      }
      if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      isAtStart = false
      if let event = endLine() { events.append(event) }
      line.removeAll(keepingCapacity: true)
    }
    return events
  }

  private mutating func endLine() -> Event? {
    guard !line.isEmpty else {
      defer {
        event = Event(id: event.id)
        hasData = false
      }
      return hasData ? event : nil
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": event.name = String(decoding: value, as: UTF8.self)
    case "data":
      if hasData { event.data.append(0x0A) }
      event.data.append(contentsOf: value)
      hasData = true
    case "id": if !value.contains(0) { event.id = String(decoding: value, as: UTF8.self) }
    // A comment has an empty name; others are for later.
    default: break
    }
    return nil
  }
}
