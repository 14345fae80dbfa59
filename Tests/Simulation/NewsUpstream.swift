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
  }

  private let world: World
  private let queue: SimulatedQueue
  private(set) var items: [Item] = []
  /// How often the list has changed.
  private(set) var revision = 0
  /// What the list was at each revision: which items, as changed when.
  private(set) var past: [[Int: Int]] = [[:]]
  private var nextID = 1
  /// Answers fail, or come late.
  var isFaulty = true
  private(set) var requests = 0

  init(_ world: World) {
    self.world = world
    queue = SimulatedQueue("upstream", isSerial: false, Host("upstream", world))
    for _ in 0..<5 { change() }
  }

  /// Something of the list becomes another thing.
  func change() {
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
    past.append(Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.revision) }))
  }

  private var kind: String { world.pick(["red", "green", "blue"]) }

  private var body: [UInt8] {
    let list = items.map { item -> JSONValue in
      [
        "id": .integer(Int64(item.id)), "kind": .string(item.kind), "revision": .integer(Int64(item.revision)),
        "title": .string("item \(item.id)"),
      ]
    }
    let state: JSONValue = ["id": "state", "kind": "state", "revision": .integer(Int64(revision)), "title": "state"]
    return JSONValue.array([state] + list).bytes
  }

  func carry(
    _ request: TransferRequest,
    completion: @escaping @Sendable (Result<TransferResponse, UpstreamError>) -> Void
  ) {
    requests += 1
    let delay = isFaulty && world.chance(10) ? 2_500.0 : Double(world.pick(1...60))
    world.after(delay, on: queue) { [self] in
      let result = answer(request)
      world.after(isFaulty && world.chance(10) ? 400 : Double(world.pick(1...30)), on: queue) { completion(result) }
    }
  }

  private func answer(_ request: TransferRequest) -> Result<TransferResponse, UpstreamError> {
    if isFaulty, world.chance(12) {
      return .failure(UpstreamError(.interrupted, title: "Interrupted", detail: "the connection ended"))
    }
    func response(_ status: Int, _ body: [UInt8]) -> TransferResponse {
      let fields = [TransferField("ETag", "\"r\(revision)\""), TransferField("Content-Type", "application/json")]
      return TransferResponse(status: status, headers: fields.compactMap(\.self), body: body, url: request.url)
    }
    if isFaulty, world.chance(12) { return .success(response(world.pick([500, 503, 429]), [])) }
    if request.headers.first(named: "If-None-Match") == "\"r\(revision)\"" { return .success(response(304, [])) }
    return .success(response(200, body))
  }
}
