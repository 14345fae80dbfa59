import JSON
import TableEngine
import TableModel
import TestSupport

/// Clients that edit what an upstream has, through the service: each edit marks a row with a number. Answers are lost on either
/// way, so that an edit may be done twice, but what was answered is shown, in any language.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Marker: @unchecked Sendable {
  private let run: Run
  private let queues: [SimulatedQueue]
  private var last = 0
  private(set) var edits = 0
  /// The last mark of each row that was answered, and when.
  private var forgotten = 0
  private var answered: [String: [(mark: Int, step: Int)]] = [:]

  init(_ run: Run) {
    self.run = run
    queues = ["marker", "other marker"].map { SimulatedQueue($0, isSerial: true, run.outside) }
  }

  private var world: World { run.world }

  /// A version with what an upstream has accepted is not synced: after a power loss an older one may be shown until the upstream has
  /// been asked.
  func forget() { (answered, forgotten) = ([:], world.steps) }

  func start() { for queue in queues.prefix(world.pick(1...2)) { again(on: queue, 20...200) } }

  private func again(on queue: SimulatedQueue, _ milliseconds: ClosedRange<Int>) {
    world.after(Double(world.pick(milliseconds)), on: queue) { [self] in begin(on: queue) }
  }

  private var pause: ClosedRange<Int> { 0...(run.isBusy ? 30 : 300) }

  private struct Mark {
    var queue: SimulatedQueue
    var request: TableRequest
    var row: String
    var number: Int
    var begun: Int
  }

  private func begin(on queue: SimulatedQueue) {
    guard run.isEditing else { return }
    guard !run.waitsForLull(on: queue, { [self] in begin(on: queue) }) else { return }
    guard run.service != nil, !run.newsRows.isEmpty else { return again(on: queue, 50...50) }
    last += 1
    // Of one row several may be under way.
    let row = world.chance(2) ? run.newsRows[0] : world.pick(run.newsRows)
    send(Mark(queue: queue, request: run.anyNews, row: row, number: last, begun: world.steps), 1)
  }

  private func send(_ mark: Mark, _ attempt: Int) {
    guard let service = run.service else { return retry(mark, attempt) }
    let (row, number) = (mark.row, mark.number)
    run.note("news", "the marker marks \(row) \(number) (attempt \(attempt))")
    let content = Array("\(row) \(number)".utf8)
    let terms = EditPreconditions(
      condition: nil,
      idempotency: Idempotency(key: "mark-\(number)", route: "PATCH news", content: content)
    )
    service.edit(mark.request, [.patch(row: row, ["mark": .integer(Int64(number))])], terms) { [self] answer in
      guard let answer, !(run.isFaulty && world.chance(20)) else { return retry(mark, attempt) }
      switch answer {
      case .success(let done):
        edits += 1
        run.note("news", "the marker is answered \(done.cursor): \(number)")
        if mark.begun >= forgotten { answered[row, default: []].append((number, world.steps)) }
        guard !world.chance(2) else { return again(on: mark.queue, pause) }
        run.lookAtNews(as: "the marker") { [self] in again(on: mark.queue, pause) }
      case .failure(let error):
        run.note("news", "the marker is refused, \(error.kind): \(number)")
        let isJudged = [.unknown, .conflict, .impossible, .forbidden].contains(error.kind) || attempt > 6
        if isJudged { again(on: mark.queue, pause) } else { retry(mark, attempt) }
      }
    }
  }

  private func retry(_ mark: Mark, _ attempt: Int) {
    world.after(Double(world.pick(20...400)), on: mark.queue) { [self] in
      // The answer is waited for, also when nothing new is begun.
      send(mark, attempt + 1)
    }
  }

  /// What a reader that asked at a step has to be shown of a row, if that is there.
  func check(_ row: String, mark: Int, asked: Int) throws {
    guard let known = answered[row]?.last(where: { $0.step < asked && $0.mark > mark }) else { return }
    throw Malformed(
      "row \(row) shows the mark \(mark), and \(known.mark) was answered at step \(known.step), before \(asked)"
    )
  }
}
