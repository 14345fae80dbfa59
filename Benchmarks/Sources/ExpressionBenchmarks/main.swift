// What an item can cost: every filter and operator over every hostile value, once and again for each of very many elements.
// `ExpressionBenchmarks [BYTES [PART]]` prints, of the operations that have the part or of all, a table of the operations: the worst value of each, milliseconds, and nanoseconds a
// step, of which 100 million are the most that one item may take.
import Expressions
import Foundation
import JSON

let bytes = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 728_000 : 728_000

/// Of the processor, so that what else runs on the machine counts as little as it can.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

struct Outcome {
  var value: String
  var milliseconds: Double
  var steps: Int
  var isTooMuch: Bool

  var nanosecondsOfStep: Double { milliseconds * 1e6 / Double(max(steps, 1)) }
}

let elements = JSONValue.array((0..<bytes / 8).map { .integer(Int64($0 % 10)) })
let items = HostileValues.all(bytes * 3 / 8).map { name, value in
  (
    name: name,
    document: JSONValue.object([
      .init(name: "a", value: elements), .init(name: "v", value: value), .init(name: "w", value: value),
    ]).bytes
  )
}

func measure(_ text: String) throws -> Outcome {
  let expression = try Expression(text)
  var worst = Outcome(value: "", milliseconds: 0, steps: 0, isTooMuch: false)
  for item in items {
    try Document(item.document).withRoot { root in
      var scope = Scope(item: root)
      let budget = Budget()
      scope.work = budget
      let start = processorTime()
      _ = try? expression.evaluate(in: scope)
      let time = processorTime() - start
      guard time > worst.milliseconds else { return }
      worst = Outcome(value: item.name, milliseconds: time, steps: budget.spent, isTooMuch: budget.isExhausted)
    }
  }
  return worst
}

var operations = Filter.all.map { "v | \($0.name)\(HostileValues.arguments[$0.name] ?? "")" }
operations += HostileValues.others
if CommandLine.arguments.count > 2 { operations.removeAll { !$0.contains(CommandLine.arguments[2]) } }
var most = 0.0
print("| operation | alone: worst value | ms | for each of \(bytes / 8) elements: worst value | ms | ns a step |")
print("| --- | --- | ---: | --- | ---: | ---: |")
for operation in operations {
  // What takes long is seen while it does.
  defer { fflush(nil) }
  let (alone, each) = (try measure(operation), try measure("a | map((\(operation)) ?? 0) | length"))
  most = max(most, alone.milliseconds, each.milliseconds)
  func told(_ outcome: Outcome) -> String {
    "\(outcome.value)\(outcome.isTooMuch ? " (unfit)" : "") | \(String(format: "%.1f", outcome.milliseconds))"
  }
  let step = max(alone.milliseconds > 5 ? alone.nanosecondsOfStep : 0, each.nanosecondsOfStep)
  let name = operation.replacing("|", with: "\\|")
  print("| `\(name)` | \(told(alone)) | \(told(each)) | \(String(format: "%.2f", step)) |")
}
print("\nthe most that an item of \(bytes / 1_000) KB takes: \(String(format: "%.0f", most)) ms")
