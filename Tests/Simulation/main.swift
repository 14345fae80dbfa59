import CSimulation
import Foundation

// `Simulation --seed N --seconds S`: runs the service under one seed after another, each in a process of its own, so that every
// one begins alike; `--one N` is such a run.

var arguments = Arguments(CommandLine.arguments)
if let seed = arguments.number("--one") {
  simulation_begin(CommandLine.unsafeArgv)
  var plan = Plan()
  plan.steps = arguments.number("--steps").map { Int($0) } ?? plan.steps
  if arguments.has("--replicas") { plan.parts.insert(.replicas) }
  for part in arguments.text("--without")?.split(separator: ",") ?? [] {
    guard let part = Plan.Part(rawValue: String(part)) else { exit(64) }
    plan.parts.remove(part)
  }
  plan.isLoud = arguments.has("--loud")
  plan.records = arguments.has("--record")
  plan.traces = arguments.has("--trace")
  print(Run(seed: seed, plan).perform())
} else {
  Driver(arguments).run()
}

/// What the command was given.
struct Arguments {
  private let words: [String]

  init(_ words: [String]) { self.words = words }

  func has(_ name: String) -> Bool { words.contains(name) }

  func text(_ name: String) -> String? {
    guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
    return words[place + 1]
  }

  func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }
}
