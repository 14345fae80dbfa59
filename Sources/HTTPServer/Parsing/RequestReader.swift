/// Reads requests out of a connection's bytes, however they are cut: a state machine without I/O.
struct RequestReader {
  enum Event {
    /// All input is used up, and no request is whole.
    case incomplete
    /// The head is whole, and the client waits for 100 before it sends the body.
    case expectsContinue
    /// A request is whole.
    case request(RequestHead, body: [UInt8])
  }

  private enum State {
    case head(HeadScanner, emptyLines: Int)
    case body(RequestHead, missing: Int)
    case chunked(RequestHead, ChunkedDecoder)
  }

  /// RFC 9112 section 2.2 asks to skip at least one empty line before a request.
  private static let maximumEmptyLines = 8

  private var state = State.head(HeadScanner(), emptyLines: 0)
  /// The part of a head, or of a body, that has come.
  private var partial: [UInt8] = []

  /// True if nothing of a request has come.
  var isBetweenRequests: Bool { if case .head(_, emptyLines: 0) = state { partial.isEmpty } else { false } }

  /// True if a head is whole and its body is not.
  var isReadingBody: Bool { if case .head = state { false } else { true } }

  /// True if a body has not come as a whole, and is larger than the room that every client has.
  var awaitsLargeBody: Bool {
    switch state {
    case .head: false
    case .body(_, let missing): partial.count + missing > RequestReader.smallBody
    case .chunked: partial.count > RequestReader.smallBody
    }
  }

  /// The head of a request whose body has not come as a whole.
  var headOfBody: RequestHead? {
    switch state {
    case .body(let head, _), .chunked(let head, _): head
    case .head: nil
    }
  }

  /// Bytes that have come of a request which is not whole.
  var unfinishedCount: Int { partial.count }

  private static let smallBody = 16_384

  /// Bytes of the body that have come.
  var bodyCount: Int { isReadingBody ? partial.count : 0 }

  /// Reads from `input` at `index`, which moves behind what was used. Call again after every event but
  /// `.incomplete`; after a refusal, never.
  mutating func read(
    _ input: Span<UInt8>,
    _ index: inout Int,
    _ cache: inout HeadCache,
    _ limits: Configuration.Limits
  ) throws(Refusal) -> Event {
    switch state {
    case .head: try readHead(input, &index, &cache, limits)
    case .body, .chunked: try readBody(input, &index, limits)
    }
  }

  private mutating func readHead(
    _ input: Span<UInt8>,
    _ index: inout Int,
    _ cache: inout HeadCache,
    _ limits: Configuration.Limits
  ) throws(Refusal) -> Event {
    guard case .head(var scanner, var emptyLines) = state else { return .incomplete }
    guard index < input.count else { return .incomplete }
    if partial.isEmpty, emptyLines == 0, let head = cache.match(input, from: index) {
      index += head.bytes.count
      return .request(head, body: [])
    }
    if partial.isEmpty || partial == [0x0d] {
      try skipEmptyLines(input, &index, &emptyLines)
      state = .head(scanner, emptyLines: emptyLines)
      guard index < input.count else { return .incomplete }
    }
    let outcome: HeadScanner.Outcome
    let carried = partial.count
    if carried == 0 {
      outcome = try scanner.scan(input.extracting(index..<input.count), limits)
    } else {
      // No more than a head can have is taken over: a body may follow in the same input.
      let count = min(input.count - index, limits.head - carried)
      input.extracting(index..<(index + count)).withUnsafeBufferPointer { partial.append(contentsOf: $0) }
      outcome = try scanner.scan(partial.span, limits)
    }
    switch outcome {
    case .incomplete:
      if carried == 0 {
        input.extracting(index..<input.count).withUnsafeBufferPointer { partial.append(contentsOf: $0) }
      }
      index = input.count
      state = .head(scanner, emptyLines: emptyLines)
      return .incomplete
    case .complete(let count):
      let bytes: [UInt8]
      if carried == 0 {
        bytes = input.extracting(index..<(index + count)).withUnsafeBufferPointer { Array($0) }
      } else {
        bytes = Array(partial.prefix(count))
      }
      index += count - carried
      partial = []
      return try begin(RequestHead.parse(bytes, limits), &cache, input, &index, limits)
    }
  }

  private mutating func begin(
    _ head: RequestHead,
    _ cache: inout HeadCache,
    _ input: Span<UInt8>,
    _ index: inout Int,
    _ limits: Configuration.Limits
  ) throws(Refusal) -> Event {
    switch head.framing {
    case .none:
      state = .head(HeadScanner(), emptyLines: 0)
      cache.insert(head)
      return .request(head, body: [])
    case .length(let length):
      state = .body(head, missing: length)
    case .chunked:
      state = .chunked(head, ChunkedDecoder())
    }
    // RFC 9110 section 10.1.1: no 100 where some of the body has come already.
    if head.expectsContinue, index == input.count { return .expectsContinue }
    return try readBody(input, &index, limits)
  }

  private mutating func readBody(
    _ input: Span<UInt8>,
    _ index: inout Int,
    _ limits: Configuration.Limits
  ) throws(Refusal) -> Event {
    let whole: RequestHead
    switch state {
    case .head:
      return .incomplete
    case .body(let head, let missing):
      let count = min(missing, input.count - index)
      input.extracting(index..<(index + count)).withUnsafeBufferPointer { partial.append(contentsOf: $0) }
      index += count
      state = .body(head, missing: missing - count)
      guard count == missing else { return .incomplete }
      whole = head
    case .chunked(let head, var decoder):
      try decoder.decode(input, &index, into: &partial, limits)
      state = .chunked(head, decoder)
      guard decoder.isDone else { return .incomplete }
      whole = head
    }
    let body = partial
    partial = []
    state = .head(HeadScanner(), emptyLines: 0)
    return .request(whole, body: body)
  }

  /// Skips CRLFs before a request line. A CR whose LF has not come waits in `partial`.
  private mutating func skipEmptyLines(
    _ input: Span<UInt8>,
    _ index: inout Int,
    _ emptyLines: inout Int
  ) throws(Refusal) {
    while index < input.count {
      if partial.isEmpty {
        guard input[index] == 0x0d else { return }
        partial = [0x0d]
      } else {
        guard input[index] == 0x0a else { throw .malformed("A carriage return without a line feed.") }
        partial = []
        emptyLines += 1
        guard emptyLines <= RequestReader.maximumEmptyLines else {
          throw .malformed("Too many empty lines before a request.")
        }
      }
      index += 1
    }
  }
}
