import Dispatch
import JSON
import Upstream

/// An upstream as the service meets it: a list that changes by itself, validators, delays, failures.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class NewsUpstream: TransferCarrier, @unchecked Sendable {
  struct Item: Equatable {
    var id: Int
    var kind: String
    var revision: Int
    /// What edits have written.
    var mark = 0
    /// The same, in a member that no cell shows.
    var remark = 0
    /// It changes by itself, and no cell shows it.
    var visits = 0

    var json: JSONValue {
      [
        "id": .integer(Int64(id)), "kind": .string(kind), "revision": .integer(Int64(revision)),
        "title": .string("item \(id)"), "mark": .integer(Int64(mark)), "remark": .integer(Int64(remark)),
        "visits": .integer(Int64(visits)),
      ]
    }
  }

  private let world: World
  private let queue: SimulatedQueue
  private(set) var items: [Item] = []
  /// How often the list has changed, in what cells show.
  private(set) var revision = 0
  /// How often it has changed in anything: its validator.
  private var edition = 0
  /// What the list was at each revision: which items, as changed when.
  private(set) var past: [[Int: Int]] = [[:]]
  /// The kinds that they had.
  private(set) var pastKinds: [[Int: String]] = [[:]]
  private var nextID = 1
  /// Answers fail, or come late.
  var isFaulty = true
  /// Until when it is down: for those who ask for the list, or for everybody.
  private var outage: (end: UInt64, isWhole: Bool) = (0, false)
  private(set) var requests = 0
  /// How many services have started, or sources begun to ask.
  private var starts = 0
  /// The step at which the source that asks for the list now has had it.
  private(set) var heardSince: Int?

  init(_ world: World) {
    self.world = world
    queue = SimulatedQueue("upstream", isSerial: false, Host("upstream", world))
    for _ in 0..<5 { change() }
  }

  /// A service starts, or another source of it asks for the list from now on.
  func askAnew() { (starts, heardSince) = (starts + 1, nil) }

  /// Something of the list becomes another thing.
  func change() {
    if world.chance(40) {
      outage = (world.now + UInt64(world.pick([500, 2_000, 8_000])) * 1_000_000, world.chance(3))
    }
    edition += 1
    if !items.isEmpty, world.chance(5) {
      items[world.pick(0...(items.count - 1))].visits += 1
      return
    }
    revision += 1
    switch items.isEmpty ? 0 : world.pick(0...5) {
    case 0, 1:
      items.insert(Item(id: nextID, kind: kind, revision: revision), at: world.pick(0...items.count))
      nextID += 1
    case 2: if items.count > 3 { items.remove(at: world.pick(0...(items.count - 1))) }
    case 3:
      let item = items.remove(at: world.pick(0...(items.count - 1)))
      items.insert(item, at: world.pick(0...items.count))
    default:
      let place = world.pick(0...(items.count - 1))
      items[place].revision = revision
      if world.chance(3) { items[place].kind = kind }
    }
    remember()
  }

  private func remember() {
    past.append(Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.revision) }))
    pastKinds.append(Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.kind) }))
  }

  /// The revisions of items that edits were answered with.
  private(set) var edited: [Int: Set<Int>] = [:]

  /// Does an edit that was forwarded.
  private func edit(_ request: TransferRequest) -> JSONValue? {
    guard let id = "\(request.url)".split(separator: "/").last.flatMap({ Int($0) }),
      let place = items.firstIndex(where: { $0.id == id }), let body = try? JSONValue(parsing: request.body ?? [])
    else { return nil }
    // A request of a process that was killed may come late: an upstream that knows keys does nothing then.
    if case .integer(let remark)? = body["remark"], remark > items[place].remark {
      edition += 1
      items[place].remark = Int(remark)
    }
    if case .integer(let mark)? = body["mark"], mark > items[place].mark {
      edition += 1
      revision += 1
      (items[place].revision, items[place].mark) = (revision, Int(mark))
      remember()
    }
    // It answers with the item as it is now, which a later change may have made.
    edited[id, default: []].insert(items[place].revision)
    return items[place].json
  }

  /// The items that were added, by their first marks.
  private var added: [Int: Int] = [:]

  /// What the list was when an addition had been answered to who made it, by the item.
  private var settled: [Int: Int] = [:]

  /// An addition has been answered to who made it.
  func settle(addedWith mark: Int) { if let id = added[mark] { settled[id] = revision } }

  /// Whether an item may be shown beside a list of a revision that does not have it: it was added later, or has gone from the list while
  /// its addition was still on its way through the service.
  func mayBeLaid(_ id: Int, _ shown: Int, over revision: Int) -> Bool {
    guard edited[id]?.contains(shown) == true else { return false }
    return shown > revision || added.values.contains(id) && settled[id] ?? .max >= revision
  }

  /// Whether an item that was added with a mark is there; nil: none was.
  func has(addedWith mark: Int) -> (id: Int, isThere: Bool)? {
    added[mark].map { id in (id, items.contains { $0.id == id }) }
  }

  /// Adds an item, unless one was added with its mark: an upstream that knows keys adds none twice.
  private func add(_ request: TransferRequest) -> Item? {
    guard let body = try? JSONValue(parsing: request.body ?? []), case .integer(let mark)? = body["mark"],
      case .string(let kind)? = body["kind"]
    else { return nil }
    if let id = added[Int(mark)] {
      let item = items.first { $0.id == id }
      // As it is now, as with an edit.
      if let item { edited[id, default: []].insert(item.revision) }
      return item
    }
    edition += 1
    revision += 1
    let item = Item(id: nextID, kind: kind, revision: revision, mark: Int(mark))
    (added[Int(mark)], edited[nextID]) = (nextID, [revision])
    nextID += 1
    items.append(item)
    remember()
    return item
  }

  static let kinds = ["a", "b", "c"]
  private var kind: String { world.pick(Self.kinds) }

  private var body: [UInt8] {
    let state: JSONValue = [
      "id": "state", "kind": "state", "revision": .integer(Int64(revision)), "title": "state", "mark": 0,
    ]
    return JSONValue.array([state] + items.map(\.json)).bytes
  }

  func carry(
    _ request: TransferRequest,
    completion: @escaping @Sendable (Result<TransferResponse, UpstreamError>) -> Void
  ) {
    requests += 1
    let starts = starts
    let delay = isFaulty && world.chance(10) ? 2_500.0 : Double(world.pick(1...60))
    world.after(delay, on: queue) { [self] in
      let result = answer(request)
      world.after(isFaulty && world.chance(10) ? 400 : Double(world.pick(1...30)), on: queue) { [self] in
        let isList = request.method == "GET" && (try? result.get())?.status == 200
        if isList, starts == self.starts { heardSince = heardSince ?? world.steps }
        completion(result)
      }
    }
  }

  private func answer(_ request: TransferRequest) -> Result<TransferResponse, UpstreamError> {
    if isFaulty, world.chance(12) {
      return .failure(UpstreamError(.interrupted, title: "Interrupted", detail: "the connection ended"))
    }
    func response(_ status: Int, _ body: [UInt8]) -> TransferResponse {
      let fields = [TransferField("ETag", "\"r\(edition)\""), TransferField("Content-Type", "application/json")]
      return TransferResponse(status: status, headers: fields.compactMap(\.self), body: body, url: request.url)
    }
    let isDown = world.now < outage.end && (outage.isWhole || request.method == "GET")
    if isFaulty, isDown || world.chance(12) { return .success(response(world.pick([500, 503, 429]), [])) }
    if request.method == "PATCH" {
      let before = edition
      guard let item = edit(request) else { return .success(response(404, [])) }
      // It is done, and nobody hears of it.
      if isFaulty, world.chance(6) {
        return .failure(UpstreamError(.interrupted, title: "Interrupted", detail: "the connection ended"))
      }
      // Some answers say that it is done, and no more.
      let isDone = edition > before
      return .success(isDone && world.chance(6) ? response(204, []) : response(200, item.bytes))
    }
    if request.method == "POST" {
      guard let item = add(request) else { return .success(response(404, [])) }
      if isFaulty, world.chance(6) {
        return .failure(UpstreamError(.interrupted, title: "Interrupted", detail: "the connection ended"))
      }
      return .success(world.chance(2) ? response(201, []) : response(201, item.json.bytes))
    }
    if request.headers.first(named: "If-None-Match") == "\"r\(edition)\"" { return .success(response(304, [])) }
    return .success(response(200, body))
  }
}
