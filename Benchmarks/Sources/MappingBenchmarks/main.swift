// What mapping costs: response bytes to encoded, fingerprinted rows, cold and with 1 % of the items changed.
// `MappingBenchmarks [items] [runs]` prints milliseconds as JSON, of the processor and for a cold mapping by the clock,
// and beside them what simdjson's own parse of the same bytes takes, by a parser as new as the mapper's; with a third
// argument, the response is written there.
// `MappingBenchmarks --memory FILE` maps the response in a file once and prints the most that was resident meanwhile,
// the response and the rows included, in sizes of the response.
// `MappingBenchmarks --cold FILE [runs]` maps the response in a file that often and nothing else, for profilers.
// `MappingBenchmarks --lookups [items] [runs]` prints what it costs that one of 2,000 looked-up users changes.
// `MappingBenchmarks --changes [items]` prints what each kind of change costs, beside the mapping of everything.
import Definitions
import Expressions
import Foundation
import JSON
import TableMapping
import TableModel

let arguments = CommandLine.arguments
let count = arguments.count > 1 ? Int(arguments[1]) ?? 20_000 : 20_000
let runs = arguments.count > 2 ? Int(arguments[2]) ?? 15 : 15

var table = TableDefinition(name: "issues", title: "Issues", source: "issues")
table.rowID = try Template(text: "${number}")
table.cell = CellMapping(
  cell: "IssueCell",
  payload: try Template([
    "title": "#${number} ${title}", "author": "${user.login}", "imageName": "${user.avatar_url}",
    "comments": "${comments}",
  ])
)
let cell = CellDefinition(
  identifier: "IssueCell",
  fields: [
    .init(name: "title", type: .string), .init(name: "author", type: .string),
    .init(name: "imageName", type: .url, isOptional: true), .init(name: "comments", type: .integer),
  ]
)
let mapper = try TableMapper(table: table, cells: [cell])

/// A response from a file, with room behind it, as what grew while it came in has.
func read(_ path: String) throws -> [UInt8] {
  let data = try Data(contentsOf: URL(fileURLWithPath: path))
  var response: [UInt8] = []
  response.reserveCapacity(data.count + 4096)
  response += data
  return response
}

if arguments.count > 2, arguments[1] == "--cold" {
  let response = try read(arguments[2])
  for _ in 0..<(arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1) { _ = mapper.map(["issues": .pages([response])]) }
  exit(0)
}

if arguments.count > 2, arguments[1] == "--memory" {
  // The program's own pages are no part of what a response takes: a service has them.
  _ = mapper.map(["issues": .pages([IssueFeed(count: 200).response()])])
  let response = try read(arguments[2])
  let memory = PeakMemory()
  let result = mapper.map(["issues": .pages([response])])
  let grown = withExtendedLifetime(result) { memory.grown }
  print(1 + Double(grown) / Double(response.count))
  exit(0)
}

if arguments.count > 1, arguments[1] == "--lookups" {
  try LookupBenchmark(items: arguments.count > 2 ? Int(arguments[2]) ?? 20_000 : 20_000).run(times: 15)
  exit(0)
}

if arguments.count > 1, arguments[1] == "--changes" {
  try ChangesBenchmark(items: arguments.count > 2 ? Int(arguments[2]) ?? 20_000 : 20_000).run(times: 15)
  exit(0)
}

var feed = IssueFeed(count: count)
/// With room behind it, as what grew while it came in has.
func received(_ feed: IssueFeed) -> [UInt8] {
  var response = feed.response()
  response.reserveCapacity(response.count + 4096)
  return response
}
let response = received(feed)
feed.edit(every: 100)
let edited = received(feed)
if arguments.count > 3 { try Data(response).write(to: URL(fileURLWithPath: arguments[3])) }

/// Of the processor, so that what else runs on the machine counts as little as it can.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

func milliseconds(_ body: () -> MappingResult) -> (Double, MappingResult) {
  let start = processorTime()
  let result = body()
  return (processorTime() - start, result)
}

/// The same by the clock too; to free the result is part of neither.
func bothMilliseconds(_ body: () -> MappingResult) -> (processor: Double, clock: Double) {
  let (began, start) = (ContinuousClock.now, processorTime())
  let result = body()
  let times = (processor: processorTime() - start, clock: (ContinuousClock.now - began) / .milliseconds(1))
  return withExtendedLifetime(result) { times }
}

var (_, kept) = milliseconds { mapper.map(["issues": .pages([response])]) }
var cold: [Double] = []
var coldByClock: [Double] = []
var parse: [Double] = []
var warm: [Double] = []
for run in 0..<runs {
  let times = bothMilliseconds { mapper.map(["issues": .pages([response])]) }
  cold.append(times.processor)
  coldByClock.append(times.clock)
  let parseStart = processorTime()
  try Document(response).withRoot { _ in }
  parse.append(processorTime() - parseStart)
  let page = run % 2 == 0 ? edited : response
  let (time, result) = milliseconds { mapper.map(["issues": .pages([page])], after: kept) }
  warm.append(time)
  kept = result
}
cold.sort()
coldByClock.sort()
parse.sort()
warm.sort()
print(
  """
  {"items":\(count),"bytes":\(response.count),"rows":\(kept.sections.first?.rows.count ?? 0),\
  "cold":\(cold[runs / 2]),"coldBest":\(cold[0]),"warm":\(warm[runs / 2]),"warmBest":\(warm[0]),\
  "coldByClock":\(coldByClock[runs / 2]),"coldByClockBest":\(coldByClock[0]),\
  "parse":\(parse[runs / 2]),"parseBest":\(parse[0])}
  """
)
