import JSON
import TableEngine
import TableModel
import TestSupport

/// A client that edits: one thing at a time, each under a key, asked again under the same one where no answer came. Now and then it
/// looks at once for what it has done, in whatever table shows it.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Editor: @unchecked Sendable {
  let name: String
  private let run: Run
  private let queue: SimulatedQueue
  /// It gives the people other names, whom `board` looks up.
  private let isNamer: Bool
  private var keys = 0
  private(set) var edits = 0
  /// What it has asked for and is not answered.
  private(set) var waitsFor: String?

  private struct Order: Sendable {
    var request: TableRequest
    var edits: [Edit]
    nonisolated(unsafe) var writes: [TaskModel.Write]
    var condition: Cursor?
    var key: String?
    var words: String
  }

  init(_ name: String, _ run: Run, isNamer: Bool = false) {
    (self.name, self.run, self.isNamer) = (name, run, isNamer)
    queue = SimulatedQueue(name, isSerial: true, run.outside)
  }

  private var world: World { run.world }

  func start() { again(Double(world.pick(0...50))) }

  private func again(_ milliseconds: Double) { world.after(milliseconds, on: queue) { [self] in begin() } }

  /// Now, or when it has come over the network.
  private func soon(_ body: @escaping @Sendable () -> Void) {
    if world.chance(2) { body() } else { world.after(Double(world.pick(0...5)), on: queue, body) }
  }

  private var model: TaskModel { isNamer ? run.people : run.tasks }

  /// One through which it edits.
  private var anyTable: TableRequest {
    if !isNamer, run.plan.parts.contains(.callers), world.chance(8) {
      return TableRequest(table: "mine", caller: world.pick(Run.owners))
    }
    let table = isNamer ? "people" : world.chance(3) ? "board" : "todo"
    return TableRequest(table: table, locale: world.chance(4) ? "de-DE" : nil)
  }

  /// One that shows what it edits.
  private var anyReader: TableRequest {
    var request = isNamer ? TableRequest(table: "board") : anyTable
    switch world.pick(0...5) {
    case 0 where run.plan.parts.contains(.callers) && !isNamer:
      request = TableRequest(table: "mine", caller: world.pick(Run.owners))
    case 1 where run.plan.parts.contains(.families) && !isNamer:
      request = TableRequest(table: "only;list=\(world.pick(["a", "b", "c"]))", locale: request.locale)
    case 2: request.window = WindowRange(from: world.pick(0...3), rows: world.pick(1...5)).map { .rows($0) } ?? .all
    default: break
    }
    return request
  }

  private func begin() {
    guard run.isEditing else { return }
    guard !run.waitsForLull(on: queue, { [self] in begin() }) else { return }
    guard run.service != nil else { return again(50) }
    if !isNamer, world.chance(8), !run.rows.isEmpty { return readItem(world.pick(run.rows)) }
    let request = anyTable
    guard !world.chance(2) else { return send(order(request, nil)) }
    // Under a condition: what is there is looked at first.
    run.look(at: request, as: name) { [self] cursor in
      guard let cursor else { return again(20) }
      soon { [self] in send(order(request, world.chance(4) ? nil : cursor)) }
    }
  }

  private func order(_ request: TableRequest, _ condition: Cursor?) -> Order {
    let rows = run.rows
    keys += 1
    var order = Order(request: request, edits: [], writes: [], condition: condition, key: "\(name)-\(keys)", words: "")
    guard !isNamer else {
      name(&order)
      return order
    }
    let count = world.chance(6) ? world.pick(2...3) : 1
    for _ in 0..<count { add(to: &order, rows, isAlone: count == 1) }
    return order
  }

  private func name(_ order: inout Order) {
    let row = world.pick(["1", "2", "3"])
    let write = model.begin(.patch, [.value], table: order.request.name, row: row, at: world.steps)
    let text = TaskModel.text(write.number)
    order.edits.append(.patch(row: row, ["name": .string(text)]))
    order.writes.append(write)
    order.words += "names \(row) \(text) "
  }

  private func insert(into order: inout Order, _ list: JSONValue) {
    let owner = order.request.caller ?? world.pick(Run.owners)
    // The number that it is going to have.
    let text = TaskModel.text(run.tasks.count.all)
    let chosen = world.chance(3) ? "id-\(text)" : nil
    let write = run.tasks.begin(.insert, owner: owner, table: order.request.name, row: chosen, at: world.steps)
    let item: JSONValue = [
      "title": .string(text), "value": .string(text), "note": .string(text), "list": list, "owner": .string(owner),
    ]
    order.edits.append(chosen.map { .put(row: $0, item: item, .end, .absent) } ?? .insert(item: item, .end))
    order.writes.append(write)
    order.words += "adds \(text)\(chosen.map { " as \($0)" } ?? "") "
  }

  private func add(to order: inout Order, _ rows: [String], isAlone: Bool) {
    let tasks = run.tasks
    let (table, step) = (order.request.name, world.steps)
    let list = JSONValue.string(world.pick(["a", "b", "c"]))
    guard rows.count > 2, world.pick(0...9) > 2 || rows.count > 14 else {
      insert(into: &order, list)
      return
    }
    let row = world.pick(rows)
    if rows.count > 14 || world.chance(8) {
      let write = tasks.begin(.delete, table: table, row: row, at: step)
      order.edits.append(.delete(row: row))
      order.writes.append(write)
      order.words += "deletes \(row) "
    } else if isAlone, order.condition == nil, rows.count > 1, world.chance(10) {
      let other = world.pick(rows.filter { $0 != row })
      order.edits.append(.move(row: row, world.chance(2) ? .before(other) : .after(other)))
      order.words += "moves \(row) to \(other) "
    } else if isAlone, order.request.caller == nil, let owner = tasks.owner(of: row), world.chance(10) {
      let write = tasks.begin(.put, owner: owner, table: table, row: row, at: step)
      let text = JSONValue.string(TaskModel.text(write.number))
      let item: JSONValue = ["title": text, "value": text, "note": text, "list": list, "owner": .string(owner)]
      order.edits.append(.put(row: row, item: item, .end, .none))
      order.writes.append(write)
      order.words += "puts \(TaskModel.text(write.number)) in the place of \(row) "
    } else if isAlone, table == "todo", world.chance(8) {
      let write = tasks.begin(.patch, [.note], table: table, row: row, at: step)
      let text = TaskModel.text(write.number)
      order.edits.append(.action(row: row, id: "mark", body: ["note": .string(text)]))
      order.writes.append(write)
      order.words += "marks \(row) \(text) "
    } else {
      let fields: [TaskModel.Field] = world.pick([[.value], [.note], [.value, .note]])
      let write = tasks.begin(.patch, Set(fields), table: table, row: row, at: step)
      let text = JSONValue.string(TaskModel.text(write.number))
      var patch = fields.map { JSONValue.Member(name: "\($0)", value: text) }
      if world.chance(3) { patch.append(JSONValue.Member(name: "list", value: list)) }
      order.edits.append(.patch(row: row, .object(patch)))
      order.writes.append(write)
      order.words +=
        "writes \(TaskModel.text(write.number)) to \(fields.map { "\($0)" }.joined(separator: "+")) of \(row) "
    }
  }

  // MARK: Asking

  private func send(_ order: Order, attempt: Int = 1) {
    waitsFor = order.words
    guard let service = run.service else { return retry(order, attempt) }
    run.note(
      order.request.table,
      "\(name) \(order.words)\(order.condition.map { "if at \($0) " } ?? "")(\(order.key ?? ""), \(attempt))"
    )
    let content = Array(order.words.utf8)
    let preconditions = EditPreconditions(
      condition: order.condition.map { .oneOf([$0]) },
      idempotency: order.key.map { Idempotency(key: $0, route: "POST \(order.request.table)", content: content) }
    )
    let edit: @Sendable () -> Void = { [self] in
      service.edit(order.request, order.edits, preconditions) { [self] answer in
        if let answer, !(run.isFaulty && world.chance(25)) {
          soon { [self] in take(answer, order, attempt) }
        } else {
          retry(order, attempt)
        }
      }
    }
    // On its way, it may be lost.
    if run.isFaulty, world.chance(40) { return retry(order, attempt) }
    world.after(Double(world.pick(0...3)), on: queue, edit)
    // Some ask twice at once.
    if run.isFaulty, world.chance(30) {
      world.after(Double(world.pick(0...3)), on: queue) { [self] in
        run.service?.edit(order.request, order.edits, preconditions) { _ in }
      }
    }
  }

  private func retry(_ order: Order, _ attempt: Int) {
    for write in order.writes { write.isRepeated = true }
    world.after(Double(world.pick(20...400)), on: queue) { [self] in send(order, attempt: attempt + 1) }
  }

  private func take(_ answer: Result<EditAnswer, TableError>, _ order: Order, _ attempt: Int) {
    switch answer {
    case .success(let done):
      edits += 1
      run.note(
        order.request.table,
        "\(name) is answered \(done.cursor)\(done.isRepeated ? ", again" : ""): \(order.words)"
      )
      for (write, row) in zip(order.writes, done.rows) {
        let mayBeLater = done.isRepeated || order.request.caller != nil
        model.acknowledge(write, row: row, at: done.cursor, mayBeLater: mayBeLater, step: world.steps)
      }
      // The answer is a version that has the edit. In a caller's own table, which is stored nowhere, and to a repeat it may be a later
      // one, with others' edits.
      let isCertain = order.writes.allSatisfy { !$0.isUncertain }
      if let condition = order.condition, order.request.caller == nil, !done.isRepeated, isCertain {
        check(condition, done.cursor, order)
      }
      // Whatever shows the items shows what has been answered, at once.
      waitsFor = nil
      if !isNamer, world.chance(4), let row = order.edits.first?.row { return readItem(row) }
      if world.chance(3) { return run.look(at: anyReader, as: name) { [self] _ in rest() } }
    case .failure(let error):
      run.note(order.request.table, "\(name) is refused, \(error.kind): \(order.words)")
      switch error.kind {
      case .conditionFailed, .unknown, .conflict, .impossible:
        for write in order.writes { model.refuse(write, step: world.steps) }
      default: return retry(order, attempt)
      }
    }
    rest()
  }

  /// Reads one item by itself, at any replica.
  private func readItem(_ row: String) {
    guard let service = run.service else { return rest() }
    let request = TableRequest(table: world.chance(3) ? "board" : "todo", locale: world.chance(4) ? "de-DE" : nil)
    let asked = world.steps
    service.item(request, row) { [self] answer in
      switch answer {
      case .success(let object)?:
        guard let item = try? JSONValue(parsing: object.bytes) else {
          run.fail(request.table, "item \(row) is no JSON")
        }
        var texts: TaskModel.Row = [:]
        for field in TaskModel.Field.allCases {
          guard case .string(let text)? = item["\(field)"], text.first == "w", let write = Int(text.dropFirst()) else {
            run.fail(request.table, "item \(row): \(item)")
          }
          texts[field] = write
        }
        run.tasks.showItem(row, texts, of: request.table, asked: asked, step: world.steps)
      case .failure(let error)? where error.kind == .unknown:
        run.tasks.showItem(row, nil, of: request.table, asked: asked, step: world.steps)
      case .failure?, nil: break
      }
      rest()
    }
  }

  private func check(_ condition: Cursor, _ cursor: Cursor, _ order: Order) {
    guard cursor.epoch == condition.epoch, cursor.version == condition.version + 1 else {
      run.fail(order.request.table, "\(name) edits what is at \(condition), and that becomes \(cursor)")
    }
    model.succeed(order.writes, from: condition, to: cursor)
  }

  private func rest() {
    waitsFor = nil
    again(run.isBusy || world.chance(2) ? 0 : Double(world.pick(run.database == nil ? 0...120 : 0...500)))
  }
}
