// Parser and state machine: however the input is cut, the same requests must come of it.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 2 else { return 0 }
  let input = UnsafeBufferPointer(start: data, count: size)
  // The first two bytes choose where to cut, the rest is what a client sends.
  let bytes = Array(input[2...])
  let step = 1 + Int(input[0]) % 61
  let first = Int(input[1]) % (bytes.count + 1)
  let whole = outcome(of: [bytes])
  var parts = [Array(bytes[..<first])]
  for start in stride(from: first, to: bytes.count, by: step) {
    parts.append(Array(bytes[start..<min(start + step, bytes.count)]))
  }
  precondition(outcome(of: parts) == whole, "cut at \(first), then every \(step) bytes")
  return 0
}

private struct Outcome: Equatable {
  var heads: [[UInt8]] = []
  var bodies: [[UInt8]] = []
  var refusal: Refusal?
}

private func outcome(of parts: [[UInt8]]) -> Outcome {
  var limits = Configuration.Limits()
  limits.head = 1024
  limits.target = 256
  limits.fields = 16
  limits.body = 2048
  let timeouts = Timeouts(Configuration.Timeouts())
  var reader = RequestReader()
  var cache = HeadCache()
  var machine = ConnectionStateMachine(now: 0, timeouts)
  var outcome = Outcome()
  for part in parts {
    var index = 0
    while index < part.count {
      precondition(machine.wantsInput)
      do {
        let before = index
        switch try reader.read(part.span, &index, &cache, limits) {
        case .incomplete:
          precondition(index == part.count)
          guard !reader.isBetweenRequests else { break }
          machine.received(isBody: reader.isReadingBody, bodyCount: reader.bodyCount, now: 1, timeouts)
          precondition(reader.bodyCount <= limits.body)
        case .expectsContinue:
          precondition(reader.isReadingBody)
        case .request(let head, let body):
          // The end of a body without bytes may need none.
          precondition(index > before || body.isEmpty)
          precondition(body.count <= limits.body && head.bytes.count <= limits.head)
          outcome.heads.append(head.bytes)
          outcome.bodies.append(body)
          machine.requestRead(keepsAlive: head.keepsAlive, limits)
          machine.responded(now: 2, timeouts)
          if machine.phase == .closing { return outcome }
        }
      } catch {
        outcome.refusal = error
        machine.refused()
        precondition(machine.phase == .closing)
        return outcome
      }
    }
  }
  return outcome
}
