import JSON
import TableEngine
import TableModel
import TestSupport

/// A client that edits what an upstream has, through the service: each edit marks a row with a number. Answers are lost on either
/// way, so that an edit may be done twice, but what was answered is shown.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Marker: @unchecked Sendable {
  private let run: Run
  private let queue: SimulatedQueue
  private var last = 0
  private(set) var edits = 0
  /// The last mark of each row that was answered, and when.
  private var (begun, forgotten) = (0, 0)
  private var answered: [String: [(mark: Int, step: Int)]] = [:]

  init(_ run: Run) {
    self.run = run
    queue = SimulatedQueue("marker", isSerial: true, run.outside)
  }

  private var world: World { run.world }

  /// A version with what an upstream has accepted is not synced: after a power loss an older one may be shown until the upstream has
  /// been asked.
  func forget() { (answered, forgotten) = ([:], world.steps) }

  func start() { again(Double(world.pick(20...200))) }

  private func again(_ milliseconds: Double) { world.after(milliseconds, on: queue) { [self] in begin() } }

  private func begin() {
    guard run.isEditing else { return }
    guard !run.waitsForLull(on: queue, { [self] in begin() }) else { return }
    guard run.service != nil, !run.newsRows.isEmpty else { return again(50) }
    (last, begun) = (last + 1, world.steps)
    send(world.pick(run.newsRows), last, 1)
  }

  private func send(_ row: String, _ mark: Int, _ attempt: Int) {
    guard let service = run.service else { return retry(row, mark, attempt) }
    run.note("news", "the marker marks \(row) \(mark) (attempt \(attempt))")
    let content = Array("\(row) \(mark)".utf8)
    let terms = EditPreconditions(
      condition: nil,
      idempotency: Idempotency(key: "mark-\(mark)", route: "PATCH news", content: content)
    )
    service.edit(TableRequest(table: "news"), [.patch(row: row, ["mark": .integer(Int64(mark))])], terms) {
      [self] answer in
      guard let answer, !(run.isFaulty && world.chance(20)) else { return retry(row, mark, attempt) }
      switch answer {
      case .success(let done):
        edits += 1
        run.note("news", "the marker is answered \(done.cursor): \(mark)")
        if run.upstream.isKnown, begun >= forgotten { answered[row, default: []].append((mark, world.steps)) }
        again(Double(world.pick(0...300)))
      case .failure(let error):
        run.note("news", "the marker is refused, \(error.kind): \(mark)")
        let isJudged = [.unknown, .conflict, .impossible, .forbidden].contains(error.kind) || attempt > 6
        if isJudged { again(Double(world.pick(0...300))) } else { retry(row, mark, attempt) }
      }
    }
  }

  private func retry(_ row: String, _ mark: Int, _ attempt: Int) {
    world.after(Double(world.pick(20...400)), on: queue) { [self] in
      // The answer is waited for, also when nothing new is begun.
      send(row, mark, attempt + 1)
    }
  }

  /// What a reader that asked at a step has to be shown of a row, if that is there.
  func check(_ row: String, mark: Int, asked: Int) throws {
    guard let known = answered[row]?.last(where: { $0.step < asked }), mark < known.mark else { return }
    throw Malformed(
      "row \(row) shows the mark \(mark), and \(known.mark) was answered at step \(known.step), before \(asked)"
    )
  }
}
