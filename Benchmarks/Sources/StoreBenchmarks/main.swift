import Foundation
import JSON
import TableModel
import TableStore

// Durable edits a second, by raw SQLite with the same pragmas and by the store with 1, 16 and 64 editors of one
// table, in rounds side by side: disks differ from minute to minute, ratios of one round do not.

if CommandLine.arguments.dropFirst().first == "items" {
  try printItemEdits()
  exit(0)
}

let edits = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3000
let rounds = 5
let folder = FileManager.default.currentDirectoryPath + "/.store-benchmark-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

func rate(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body)
  return Double(edits) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
}

func raw(_ round: Int) throws -> Double {
  let database = RawSQLite(path: "\(folder)/raw-\(round).sqlite")
  let item = Item(id: ItemID(rawValue: 1), body: Array(#"{"title":"Item 1","step":1234}"#.utf8))
  let row = Editors.row(item).encoded
  let record = [UInt8](repeating: 1, count: 60)
  return rate {
    for number in 1...edits {
      database.edit(
        number: Int64(number),
        item: Int64(number % Editors.itemCount),
        row: row,
        record: record,
        body: item.body
      )
    }
  }
}

func stored(_ round: Int, editors: Int) throws -> Double {
  let store = try SQLiteStore(path: "\(folder)/store-\(round)-\(editors).sqlite")
  let table = try Editors(store: store, edits: edits)
  let rate = rate { table.run(count: editors) }
  let closed = DispatchSemaphore(value: 0)
  store.close { _ in closed.signal() }
  closed.wait()
  return rate
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

var results: [String: (rates: [Double], ratios: [Double])] = [:]
for round in 0..<rounds {
  let base = try raw(round)
  results["raw", default: ([], [])].rates.append(base)
  for editors in [1, 16, 64] {
    let rate = try stored(round, editors: editors)
    results["\(editors)", default: ([], [])].rates.append(rate)
    results["\(editors)", default: ([], [])].ratios.append(rate / base)
  }
}
print("durable edits, \(edits) a round, median of \(rounds) rounds")
for name in ["raw", "1", "16", "64"] {
  guard let result = results[name] else { continue }
  let label = name == "raw" ? "raw SQLite, one thread" : "store, \(name) editors"
  let ratio = result.ratios.isEmpty ? "" : String(format: "  %5.2f x raw", median(result.ratios))
  print(
    label.padding(toLength: 26, withPad: " ", startingAt: 0) + String(format: "%8.0f/s", median(result.rates)) + ratio
  )
}
