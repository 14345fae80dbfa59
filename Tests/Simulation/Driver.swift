import CSimulation
import Foundation

/// Runs seed after seed until the time is over or one has found something, which is then sought with less of what happened.
struct Driver {
  private let arguments: Arguments
  private let program = "/proc/self/exe"

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run() {
    let first = arguments.number("--seed") ?? UInt64.random(in: 1...999_999_999)
    let seconds = Double(arguments.number("--seconds") ?? 30)
    let jobs = Int(arguments.number("--jobs") ?? 1)
    print("seed \(first)")
    fflush(nil)
    let end = Date().addingTimeInterval(seconds)
    let total = Total()
    DispatchQueue.concurrentPerform(iterations: jobs) { job in
      var seed = first &+ UInt64(job)
      while Date() < end, !total.hasFailed {
        let outcome = perform(seed, [])
        if outcome.status == 0 { total.add(outcome.output) } else { total.fail(seed, outcome.output) }
        // A seed that says one thing now and another one then is worth nothing.
        if seed == first, !total.hasFailed {
          let again = perform(seed, [])
          if again.output != outcome.output {
            total.fail(seed, "seed \(seed): two runs differ:\n\(outcome.output)\(again.output)")
          }
        }
        seed &+= UInt64(jobs)
      }
    }
    if let failure = total.failure {
      shrink(failure.seed, failure.output)
      exit(1)
    }
    print("\(total.steps) steps, \(total.edits) edits in \(total.runs) runs from seed \(first): clean")
  }

  /// Looks for a run with less in it that finds something, too.
  private func shrink(_ seed: UInt64, _ output: String) {
    var (left, shortest): ([String], String) = ([], output)
    for part in Plan.Part.allCases.map(\.rawValue) {
      let outcome = perform(seed, ["--without", (left + [part]).joined(separator: ",")])
      if outcome.status != 0, outcome.status != 64 {
        left.append(part)
        shortest = outcome.output
      }
    }
    print(shortest)
    let without = left.isEmpty ? "" : " --without \(left.joined(separator: ","))"
    print("again: Simulation --one \(seed)\(arguments.has("--replicas") ? " --replicas" : "")\(steps)\(without)")
  }

  private var steps: String { arguments.text("--steps").map { " --steps \($0)" } ?? "" }

  private func perform(_ seed: UInt64, _ more: [String]) -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    process.arguments = ["--one", "\(seed)"] + ["--replicas"].filter(arguments.has) + more
    if let steps = arguments.text("--steps") { process.arguments? += ["--steps", steps] }
    if more.isEmpty, let without = arguments.text("--without") { process.arguments? += ["--without", without] }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch { return (1, "the run can't be started: \(error)") }
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}

/// What all runs have come to.
private final class Total: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var (steps, edits, runs) = (0, 0, 0)
  private(set) var failure: (seed: UInt64, output: String)?

  var hasFailed: Bool { lock.withLock { failure != nil } }

  func add(_ output: String) {
    let numbers =
      output.split(separator: "\n").last?.split(separator: ",").map {
        $0.split(separator: " ").first.flatMap { Int($0) } ?? 0
      } ?? []
    lock.withLock {
      runs += 1
      steps += numbers.first ?? 0
      edits += numbers.count > 1 ? numbers[1] : 0
    }
  }

  func fail(_ seed: UInt64, _ output: String) {
    lock.withLock { failure = failure ?? (seed, output) }
  }
}
