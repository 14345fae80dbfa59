import Foundation
import TablecastClient
import TablecastTesting

// What the client costs, from a reply's bytes until observers have the state, beside a plain loop that asks for the whole
// table and decodes it with Foundation. Without an argument everything, each in a process of its own: memory that was
// freed before isn't seen again.

let rows = 10_000
let table = SyntheticTable(rows: rows)

struct PlainTable: Decodable {
  struct Section: Decodable {
    var id: String
    var rows: [Row]
  }
  struct Row: Decodable {
    var id: String
    var cellIdentifier: String
    var payload: [String: String]
  }
  var sections: [Section]
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body).components
  return Double(time.seconds) * 1000 + Double(time.attoseconds) / 1e15
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

/// A client whose requests are answered here.
struct Client {
  let transport = ScriptedTransport()
  let scheduler = ManualScheduler()
  let recorder = ChangeRecorder()
  let client: TablecastClient<AnyCell>
  let observation: TableObservation

  init() {
    var options = ClientOptions()
    (options.transport, options.scheduler) = (transport, scheduler)
    client = TablecastClient(url: URL(fileURLWithPath: "/"), options: options)
    observation = client.table("t").observe(recorder.receive)
  }

  /// Answers what is asked next. Returns the time until the state is shown.
  func answer(_ response: TransportResponse, _ cursor: String) -> Double {
    // A second for each: faster than that for long the client doesn't ask.
    scheduler.advance(by: 1)
    client.flush()
    guard !transport.waiting.isEmpty else { preconditionFailure("the client asks for nothing") }
    let number = transport.waiting[0].number
    return milliseconds {
      transport.answer(number, .success(response))
      _ = recorder.wait { $0.cursor?.text == cursor }
    }
  }
}

func report(_ what: String, _ time: Double) {
  print("\(what): \(String(format: "%.3f", time)) ms")
}

switch CommandLine.arguments.dropFirst().first {
case "client":
  let reply = TransportResponse(json: table.start())
  let changesets = (1..<202).map { TransportResponse(json: table.changeset(from: $0)) }
  let memory = PeakMemory()
  let client = Client()
  report("the client, \(rows) rows whole (\(reply.body.count >> 10) KB)", client.answer(reply, "00000000000a.1"))
  print("the client, memory at its peak with the reply: \(memory.grown >> 10) KB")
  let times = changesets.enumerated().map { client.answer($1, "00000000000a.\($0 + 2)") }
  report(
    "the client, a changeset of 1 % (\(changesets[0].body.count >> 10) KB), median of \(times.count)",
    median(times)
  )
  report("the client, the slowest of them", times.max() ?? 0)
case "plain":
  let bytes = Data(table.snapshot().utf8)
  let memory = PeakMemory()
  var kept: PlainTable?
  let first = try milliseconds { kept = try JSONDecoder().decode(PlainTable.self, from: bytes) }
  report("a plain loop, the whole table by JSONDecoder", first)
  print("a plain loop, memory at its peak: \(memory.grown >> 10) KB")
  let times = try (0..<9).map { _ in
    try milliseconds { kept = try JSONDecoder().decode(PlainTable.self, from: bytes) }
  }
  report("a plain loop, the whole table again for each change", median(times))
  precondition(kept?.sections.count == 10)
default:
  for mode in ["client", "plain"] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [mode]
    try process.run()
    process.waitUntilExit()
  }
}
