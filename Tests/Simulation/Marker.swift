import JSON
import TableEngine
import TableModel
import TestSupport

/// Clients that edit what an upstream has, through the service: each edit marks a row with a number, in a member that cells show or in one
/// that none does. Answers are lost on either way, so that an edit may be done twice, but what was answered is shown, in any language, and
/// read with the item. Some add an item.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Marker: @unchecked Sendable {
  private let run: Run
  private let queues: [SimulatedQueue]
  private var last = 0
  private(set) var edits = 0
  /// The marks that were answered, and when.
  private var answered: [Target: [(mark: Int, step: Int)]] = [:]
  /// The first marks of the items that were added, and when that was answered.
  private var added: [(mark: Int, step: Int)] = []
  private var forgotten = 0
  private var readItems = ReadItems()

  /// Where a mark is.
  private struct Target: Hashable {
    var row: String
    var member: Member
  }

  enum Member: String, CaseIterable {
    case mark, remark
    /// Nobody writes it.
    case visits
  }

  init(_ run: Run) {
    self.run = run
    queues = ["marker", "other marker"].map { SimulatedQueue($0, isSerial: true, run.outside) }
  }

  private var world: World { run.world }

  /// A version with what an upstream has accepted is not synced: after a power loss an older one may be shown until the upstream has
  /// been asked.
  func forget() { (answered, added, forgotten, readItems) = ([:], [], world.steps, ReadItems()) }

  func start() { for queue in queues.prefix(world.pick(1...2)) { again(on: queue, 20...200) } }

  private func again(on queue: SimulatedQueue, _ milliseconds: ClosedRange<Int>) {
    world.after(Double(world.pick(milliseconds)), on: queue) { [self] in begin(on: queue) }
  }

  private var pause: ClosedRange<Int> { 0...(run.isBusy ? 30 : 300) }

  private struct Mark {
    var queue: SimulatedQueue
    var request: TableRequest
    /// Nil: it adds an item.
    var target: Target?
    var number: Int
    var begun: Int

    var words: String { target.map { "\($0.member.rawValue) \(number) to \($0.row)" } ?? "an item marked \(number)" }
    func edit(_ kind: String) -> Edit {
      guard let target else {
        return .insert(item: ["mark": .integer(Int64(number)), "kind": .string(kind)], .end)
      }
      return .patch(row: target.row, [target.member.rawValue: .integer(Int64(number))])
    }
  }

  private func begin(on queue: SimulatedQueue) {
    guard run.isEditing else { return }
    guard !run.waitsForLull(on: queue, { [self] in begin(on: queue) }) else { return }
    guard run.service != nil, !run.newsRows.isEmpty else { return again(on: queue, 50...50) }
    last += 1
    if world.chance(4) { return readItem(world.pick(run.newsRows)) { [self] in again(on: queue, pause) } }
    // Of one row several may be under way.
    let row = world.chance(2) ? run.newsRows[0] : world.pick(run.newsRows)
    let isAdded = world.chance(5)
    let target = isAdded ? nil : Target(row: row, member: world.chance(3) ? .remark : .mark)
    send(Mark(queue: queue, request: run.anyNews, target: target, number: last, begun: world.steps), 1)
  }

  private func send(_ mark: Mark, _ attempt: Int) {
    guard let service = run.service else { return retry(mark, attempt) }
    let number = mark.number
    run.note("news", "the marker writes \(mark.words) (attempt \(attempt))")
    let content = Array(mark.words.utf8)
    let terms = EditPreconditions(
      condition: nil,
      idempotency: Idempotency(key: "mark-\(number)", route: "PATCH news", content: content)
    )
    let edit = mark.edit(NewsUpstream.kinds[number % NewsUpstream.kinds.count])
    service.edit(mark.request, [edit], terms) { [self] answer in
      guard let answer, !(run.isFaulty && world.chance(20)) else { return retry(mark, attempt) }
      switch answer {
      case .success(let done):
        edits += 1
        run.note("news", "the marker is answered \(done.cursor): \(number)")
        if mark.begun >= forgotten { note(mark) }
        guard !world.chance(2) else { return again(on: mark.queue, pause) }
        if let row = mark.target?.row, world.chance(2) {
          return readItem(row) { [self] in again(on: mark.queue, pause) }
        }
        run.lookAtNews(as: "the marker") { [self] in again(on: mark.queue, pause) }
      case .failure(let error):
        run.note("news", "the marker is refused, \(error.kind): \(number)")
        let isJudged = [.unknown, .conflict, .impossible, .forbidden].contains(error.kind) || attempt > 6
        if isJudged { again(on: mark.queue, pause) } else { retry(mark, attempt) }
      }
    }
  }

  private func note(_ mark: Mark) {
    if let target = mark.target {
      answered[target, default: []].append((mark.number, world.steps))
    } else {
      added = added.suffix(20) + [(mark.number, world.steps)]
      run.upstream.settle(addedWith: mark.number)
    }
  }

  private func retry(_ mark: Mark, _ attempt: Int) {
    world.after(Double(world.pick(20...400)), on: mark.queue) { [self] in
      // The answer is waited for, also when nothing new is begun.
      send(mark, attempt + 1)
    }
  }

  /// Reads the item of a row, which may be gone by now, at any replica.
  private func readItem(_ row: String, _ body: @escaping @Sendable () -> Void) {
    guard let service = run.service else { return body() }
    let (request, asked) = (run.anyNewsWithMembers, world.steps)
    service.item(request, row) { [self] answer in
      defer { body() }
      guard case .success(let object)? = answer, run.isPresent(asked: asked) else { return }
      do {
        let item = try JSONValue(parsing: object.bytes)
        for member in Member.allCases {
          guard case .integer(let number)? = item[member.rawValue] else { throw Malformed("an item: \(item)") }
          try check(row, member, Int(number), asked: asked)
          guard asked >= forgotten else { continue }
          let problem = readItems.note(row, member.rawValue, Int(number), asked: asked, step: world.steps, precedes: <)
          if let problem { throw Malformed(problem) }
        }
      } catch {
        run.fail(request.table, "item \(row): \(error)")
      }
    }
  }

  /// A reader that asked at a step has to be shown the items that were added, as long as the upstream has them.
  func check(shown: Set<Int>, asked: Int) throws {
    for (mark, step) in added where step < asked {
      guard let (id, isThere) = run.upstream.has(addedWith: mark), isThere, !shown.contains(id) else { continue }
      throw Malformed("item \(id) is not there, and was added with the mark \(mark) by step \(step), before \(asked)")
    }
  }

  /// What a reader that asked at a step has to be shown of a row, if that is there.
  func check(_ row: String, _ member: Member, _ number: Int, asked: Int) throws {
    let target = Target(row: row, member: member)
    guard let known = answered[target]?.last(where: { $0.step < asked && $0.mark > number }) else { return }
    throw Malformed(
      "the \(member) of \(row) is \(number), and \(known.mark) was answered at step \(known.step), before \(asked)"
    )
  }
}
