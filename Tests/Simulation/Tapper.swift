import JSON
import TableEngine
import TableModel
import TestSupport

/// A client that opens and closes rows, in a view of its own or for everyone, and knows which ones have to be open: nobody else
/// taps there. It asks under a key until it is answered.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Tapper: @unchecked Sendable {
  private let name: String
  private let run: Run
  private let request: TableRequest
  private let queue: SimulatedQueue
  /// The rows that are open; nil while it doesn't know that, as after a crash, with which views go.
  private var open: Set<String>?
  private var epoch: Epoch?
  private var rows: [String] = []
  private var keys = 0

  init(_ request: TableRequest, _ run: Run) {
    (self.request, self.run) = (request, run)
    name = "tapper of \(request.view ?? request.table)"
    queue = SimulatedQueue(name, isSerial: true, run.outside)
  }

  private var world: World { run.world }

  func start() { again(Double(world.pick(0...50))) }

  func forget() { open = nil }

  private func again(_ milliseconds: Double) { world.after(milliseconds, on: queue) { [self] in next() } }

  private func next() {
    guard let service = run.service else { return again(50) }
    let asked = world.steps
    service.snapshot(request) { [self] answer in
      guard case .reply(let bytes, _)? = answer else { return again(Double(world.pick(20...100))) }
      do { try look(JSONValue(parsing: bytes), asked: asked) } catch {
        run.fail(request.table, "\(name): \(error)\n  \(String(decoding: bytes, as: UTF8.self))")
      }
      guard run.isEditing else { return again(2_000) }
      guard !run.waitsForLull(on: queue, { [self] in next() }) else { return }
      guard !rows.isEmpty, !world.chance(3) else { return again(Double(world.pick(5...(run.isBusy ? 30 : 200)))) }
      keys += 1
      tap(world.pick(rows), "tap-\(request.view ?? "")-\(keys)")
    }
  }

  private func look(_ json: JSONValue, asked: Int) throws {
    let mirror = try TableMirror(json)
    run.shown.note(mirror, of: request)
    try run.check(mirror, of: request, asked: asked)
    guard let cursor = Cursor(mirror.cursor) else { return }
    // Another table: views begin anew.
    if cursor.epoch != epoch { (epoch, open) = (cursor.epoch, nil) }
    rows = mirror.rows
    let shown = Set(
      mirror.sections.flatMap(\.rows).filter { $0["payload"]?["isExpanded"] == .bool(true) }.compactMap(\.id)
    )
    guard let known = open else {
      open = shown
      return
    }
    let expected = known.intersection(rows)
    // A row that was deleted and put there again may be as it was left, or closed.
    guard shown.symmetricDifference(expected).allSatisfy(run.tasks.mayBeAnother) else {
      throw Malformed("open are \(shown.sorted()), and have to be \(expected.sorted())")
    }
    open = shown
  }

  private func tap(_ row: String, _ key: String) {
    guard let service = run.service else { return retry(row, key) }
    run.note(request.table, "\(name) taps \(row) (\(key))")
    let content = Array(row.utf8)
    let terms = EditPreconditions(
      condition: nil,
      idempotency: Idempotency(key: key, route: "TAP \(request.table)", content: content)
    )
    if run.isFaulty, world.chance(30) { return retry(row, key) }
    service.tap(request, row, terms) { [self] answer in
      guard let answer, !(run.isFaulty && world.chance(25)) else { return retry(row, key) }
      switch answer {
      case .success(let done):
        run.note(request.table, "\(name) is answered \(done.cursor): \(row)")
        if done.cursor.epoch != epoch { open = nil }
        if let isOpen = open?.contains(row) { if isOpen { open?.remove(row) } else { open?.insert(row) } }
      case .failure(let error):
        run.note(request.table, "\(name) is refused, \(error.kind): \(row)")
        guard error.kind == .unknown else { return retry(row, key) }
      }
      again(Double(world.pick(0...100)))
    }
  }

  private func retry(_ row: String, _ key: String) {
    world.after(Double(world.pick(20...300)), on: queue) { [self] in tap(row, key) }
  }
}

extension JSONValue {
  fileprivate var id: String? { if case .string(let text)? = self["id"] { text } else { nil } }
}
