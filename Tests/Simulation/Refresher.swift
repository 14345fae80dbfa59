import TableEngine
import TableModel
import TestSupport

/// Somebody who has the service fetch now, at any replica: what the upstream had before is shown from the answer on.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Refresher: @unchecked Sendable {
  private let run: Run
  private let queue: SimulatedQueue
  /// The refreshes that were answered: when, and at which revision the upstream was when they were asked for.
  private var forgotten = 0
  private var answered: [(step: Int, revision: Int)] = []

  init(_ run: Run) {
    self.run = run
    queue = SimulatedQueue("refresher", isSerial: true, run.outside)
  }

  private var world: World { run.world }

  /// What was fetched is not synced.
  func forget() { (answered, forgotten) = ([], world.steps) }

  func start() { again(Double(world.pick(20...500))) }

  private func again(_ milliseconds: Double) { world.after(milliseconds, on: queue) { [self] in refresh() } }

  private func refresh() {
    guard run.isEditing else { return }
    guard !run.waitsForLull(on: queue, { [self] in refresh() }) else { return }
    guard let service = run.service else { return again(50) }
    let (revision, asked) = (run.upstream.revision, world.steps)
    if world.chance(2) {
      service.refresh(run.anyNews) { [self] in take($0.map { $0.map(\.description) }, revision, asked) }
    } else {
      service.refresh(source: "news") { [self] in take($0.map { $0.map { "its source" } }, revision, asked) }
    }
  }

  private func take(_ answer: Result<String, TableError>?, _ revision: Int, _ asked: Int) {
    if case .success(let place)? = answer {
      run.note("news", "a refresh is answered, of revision \(revision) or later, at \(place)")
      if asked >= forgotten { answered = answered.suffix(20) + [(world.steps, revision)] }
    }
    guard !world.chance(2) else { return again(Double(world.pick(0...600))) }
    run.lookAtNews(as: "the refresher") { [self] in again(Double(world.pick(0...600))) }
  }

  /// A reader that asked at a step is shown what was fetched before, if the upstream could be asked: else the table is stale.
  func check(_ mirror: TableMirror, _ cursor: Cursor, revision: Int, asked: Int) throws {
    guard mirror.state == "ready" else { return }
    for refresh in answered where refresh.step < asked && refresh.revision > revision {
      throw Malformed(
        "news at \(cursor) shows revision \(revision), and \(refresh.revision) was fetched by step \(refresh.step), before \(asked)"
      )
    }
  }
}
