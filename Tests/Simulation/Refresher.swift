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
  private var answered: [(table: String?, step: Int, revision: Int)] = []

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
      let request = run.anyNews
      run.note("news", "the refresher has \(request.table) fetched, the upstream is at \(revision)")
      service.refresh(request) { [self] in take($0.map { $0.map { _ in } }, of: request.table, revision, asked) }
    } else {
      run.note("news", "the refresher has the source fetched, the upstream is at \(revision)")
      service.refresh(source: "news") { [self] in take($0, of: nil, revision, asked) }
    }
  }

  /// - Parameter table: that was fetched; nil: all that show the source.
  private func take(_ answer: Result<Void, TableError>?, of table: String?, _ revision: Int, _ asked: Int) {
    if case .success? = answer {
      run.note("news", "a refresh of \(table ?? "the source") is answered, of revision \(revision) or later")
      if asked >= forgotten { answered = answered.suffix(20) + [(table, world.steps, revision)] }
    }
    guard !world.chance(2) else { return again(Double(world.pick(0...600))) }
    run.lookAtNews(as: "the refresher") { [self] in again(Double(world.pick(0...600))) }
  }

  /// A reader that asked at a step is shown what was fetched before, if the upstream could be asked: else the table is stale.
  func check(_ mirror: TableMirror, of request: TableRequest, _ cursor: Cursor, revision: Int, asked: Int) throws {
    guard mirror.state == "ready" else { return }
    for refresh in answered where refresh.step < asked && refresh.revision > revision {
      // Members are told at the replica that was asked, and shown at the others when these hear of it.
      let isSource = refresh.table == nil && !(request.isOfMember && run.database != nil)
      guard isSource || refresh.table == request.table else { continue }
      throw Malformed(
        "\(request.table) at \(cursor) shows revision \(revision), and \(refresh.revision) was fetched by step \(refresh.step), before \(asked)"
      )
    }
  }
}
