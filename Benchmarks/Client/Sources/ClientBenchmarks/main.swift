import Foundation
import TablecastClient
import TablecastTesting
import TablecastUI

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
  let observer: Observer
  let client: TablecastClient<AnyCell>
  let observation: TableObservation

  /// - Parameter keepsAll: of an app that lets no state go; else the observer has the last one, as a screen does.
  init(keepsAll: Bool) {
    var options = ClientOptions()
    (options.transport, options.scheduler) = (transport, scheduler)
    observer = Observer(keepsAll: keepsAll)
    client = TablecastClient(url: URL(fileURLWithPath: "/"), options: options)
    observation = client.table("t").observe { [observer] in observer.receive($0) }
  }

  /// Answers what is asked next. Returns the time until the state is shown.
  func answer(_ response: TransportResponse, _ cursor: String) -> Double {
    // A second for each: faster than that for long the client doesn't ask.
    scheduler.advance(by: 1)
    client.flush()
    guard let poll = transport.waiting.first(where: { $0.request.method == "GET" }) else {
      preconditionFailure("the client asks for nothing")
    }
    return milliseconds {
      transport.answer(poll.number, .success(response))
      observer.wait(for: cursor)
    }
  }
}

/// Median and slowest of 201 changesets.
func changesets(_ client: Client) -> (median: Double, slowest: Double) {
  let replies = (1..<202).map { TransportResponse(json: table.changeset(from: $0)) }
  let times = replies.enumerated().map { client.answer($1, "00000000000a.\($0 + 2)") }
  return (median(times), times.max() ?? 0)
}

func report(_ what: String, _ time: Double) {
  print("\(what): \(String(format: "%.3f", time)) ms")
}

switch CommandLine.arguments.dropFirst().first {
case "client":
  let reply = TransportResponse(json: table.start())
  let memory = PeakMemory()
  let client = Client(keepsAll: false)
  report("the client, \(rows) rows whole (\(reply.body.count >> 10) KB)", client.answer(reply, "00000000000a.1"))
  print("the client, memory at its peak with the reply: \(memory.grown >> 10) KB")
  let size = TransportResponse(json: table.changeset(from: 1)).body.count >> 10
  let last = changesets(client)
  report("the client, a changeset of 1 % (\(size) KB), observers with the last state, median of 201", last.median)
  report("the client, the slowest of them", last.slowest)
  let keeping = Client(keepsAll: true)
  _ = keeping.answer(reply, "00000000000a.1")
  report("the client, a changeset of 1 %, observers with every state, median of 201", changesets(keeping).median)
case "edits":
  // Moves, changes and deletions all over the table, none of them answered.
  let client = Client(keepsAll: false)
  _ = client.answer(TransportResponse(json: table.start()), "00000000000a.1")
  let live = client.client.table("t")
  let preview = try JSONText("{\"title\":\"changed\"}")
  let edits = (0..<100).map { number in
    milliseconds {
      switch number % 3 {
      case 0: live.move("\(number * 97)", to: .before("\((number * 31 + 500) % rows)"))
      case 1: live.patch("\(number * 97)", preview, preview: preview)
      default: live.delete("\(number * 97)")
      }
      client.client.flush()
    }
  }
  report("the client, the first edit, until it is shown", edits[0])
  report("the client, the hundredth open edit, median of the last nine", median(Array(edits.suffix(9))))
  report("the client, a changeset of 1 % under 100 open edits, median of 201", changesets(client).median)
case "observed":
  // SwiftUI's table on the main thread: told what changed, and shown a state of which it does not know that.
  let long = SyntheticTable(rows: 50_000)
  let client = Client(keepsAll: false)
  _ = client.answer(TransportResponse(json: long.start()), "00000000000a.1")
  let observed = ObservedTable(client.client.table("t"))
  let first = client.observer.wait(for: "00000000000a.1").snapshot
  report("SwiftUI's table, 50,000 rows for the first time", milliseconds { observed.show(first) })
  var version = 1
  @MainActor func times(oneIn share: Int, _ body: @MainActor (TableChange) -> Void) -> Double {
    median((0..<51).map { _ in
      let reply = TransportResponse(json: long.changeset(from: version, oneIn: share))
      version += 1
      _ = client.answer(reply, "00000000000a.\(version)")
      let change = client.observer.wait(for: "00000000000a.\(version)")
      return milliseconds { body(change) }
    })
  }
  for (words, share) in [("one row", long.rows), ("1 %", 100)] {
    report("SwiftUI's table, a change of \(words), told so, median of 51", times(oneIn: share) { observed.take($0) })
    report("SwiftUI's table, a state in which \(words) changed, median of 51", times(oneIn: share) { observed.show($0.snapshot) })
  }
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
  for mode in ["client", "edits", "observed", "plain"] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [mode]
    try process.run()
    process.waitUntilExit()
  }
}
