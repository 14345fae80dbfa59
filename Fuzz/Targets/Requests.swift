// Parser and state machine: however the input is cut, the same requests must come of it.

func fuzzRequests(_ input: [UInt8]) {
  guard input.count > 2 else { return }
  // The first two bytes choose where to cut, the rest is what a client sends.
  let bytes = Array(input[2...])
  let step = 1 + Int(input[0]) % 61
  let first = Int(input[1]) % (bytes.count + 1)
  let whole = outcome(of: bytes, first: bytes.count, step: 1)
  precondition(outcome(of: bytes, first: first, step: step) == whole, "cut at \(first), then every \(step) bytes")
}

private struct Outcome: Equatable {
  var heads: [[UInt8]] = []
  var bodies: [[UInt8]] = []
  var refusal: Refusal?
}

private func outcome(of bytes: [UInt8], first: Int, step: Int) -> Outcome {
  var limits = Configuration.Limits()
  limits.head = 512
  limits.target = 128
  limits.fields = 12
  limits.body = 256
  let timeouts = Timeouts(Configuration.Timeouts())
  var reader = RequestReader()
  var cache = HeadCache()
  var machine = ConnectionStateMachine(now: 0, timeouts)
  var outcome = Outcome()
  var start = 0
  while start < bytes.count {
    let end = start < first ? first : min(start + step, bytes.count)
    let part = bytes.span.extracting(start..<end)
    start = end
    var index = 0
    while index < part.count {
      precondition(machine.wantsInput)
      do {
        let before = index
        switch try reader.read(part, &index, &cache, limits) {
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
