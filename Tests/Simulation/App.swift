import Foundation
import Queues
import TablecastClient

/// An app that is made with the Swift client: it follows a table and edits it, loses its connections, is offline for a while, is
/// killed, and starts again with the edits that it has kept.
///
/// The client's queue is one of the world's.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class App: @unchecked Sendable {
  private let name: String
  private let run: Run
  private let face: AppFace
  private let kept = KeptInMemory()
  private var process: Process?
  /// Killed ones are kept: what they would let go of is in the middle of something.
  private var killed: [Process] = []
  private var processes: UInt64 = 0
  private(set) var edits = 0
  private(set) var kills = 0

  /// From a start to its end.
  private final class Process: Sendable {
    let client: TablecastClient<AnyCell>
    let table: LiveTable<AnyCell>
    let observation: TableObservation
    let host: Host

    init(_ client: TablecastClient<AnyCell>, _ host: Host) {
      (self.client, self.host) = (client, host)
      table = client.table("todo")
      observation = table.observe { _ in }
    }
  }

  init(_ name: String, _ run: Run) {
    (self.name, self.run) = (name, run)
    face = AppFace(run, name)
  }

  func start() { face.at(face.now + 0.02) { [self] in begin() } }

  private func begin() {
    processes += 1
    var options = ClientOptions()
    options.editStore = kept
    options.seed = UInt64(run.world.pick(0...Int.max))
    let number = processes
    options.scheduler = AppScheduler(face) { [weak self] in self?.turn(number, $0) }
    options.transport = AppTransport(face) { [weak self] in self?.turn(number, $0) }
    let host = Host(name, run.world)
    options.queue = AppQueue(queue: SimulatedQueue("client", isSerial: true, host))
    guard let url = URL(string: "http://service.test") else { return }
    process = Process(TablecastClient(url: url, cells: AnyCell.self, options: options), host)
    run.note("todo", "\(name) starts")
    live(number)
  }

  /// Something that comes to a process from outside.
  private func turn(_ number: UInt64, _ body: () -> Void) {
    guard number == processes, process != nil else { return }
    body()
  }

  /// What a person does.
  private func live(_ number: UInt64) {
    face.at(face.now + Double(run.world.pick(5...300)) / 1000) { [self] in
      guard number == processes, run.isEditing else { return }
      guard !run.isResting else { return live(number) }
      switch run.world.pick(0...19) {
      case 0 where run.isFaulty: return kill()
      case 1: process?.client.wake()
      case 2 where run.isFaulty && run.world.chance(4): leaveNetwork()
      default: if !face.isOffline || run.world.chance(4) { edit() }
      }
      live(number)
    }
  }

  /// The network is back: what waits after many failures is sent soon, not in half a minute.
  func wakeSoon() {
    // The first time the last configuration may be on its way.
    for pause in [8.0, 16] { face.at(face.now + pause) { [self] in process?.client.wake() } }
  }

  /// For longer than versions are held, and than many failures take.
  private func leaveNetwork() {
    guard !face.isOffline else { return }
    run.note("todo", "\(name) is offline")
    face.isOffline = true
    face.at(face.now + Double(run.world.pick([1, 3, 10]))) { [self] in
      face.isOffline = false
      run.note("todo", "\(name) is online")
      process?.client.wake()
    }
  }

  private func kill() {
    run.note("todo", "\(name) is killed")
    kills += 1
    processes += 1
    if let process {
      process.host.end()
      killed.append(process)
    }
    process = nil
    face.at(face.now + 0.1) { [self] in begin() }
  }

  private func edit() {
    // Whoever is told of so many that are not sent yet waits.
    guard let table = process?.table, table.snapshot?.edits.count ?? 0 < 50 else { return }
    let rows = table.snapshot?.sections.flatMap { $0.rows.map(\.id) }.filter { run.rows.contains($0) } ?? []
    let number = run.tasks.count.all
    edits += 1
    if rows.isEmpty || run.world.chance(4), rows.count < 12 {
      _ = run.tasks.begin(.insert, owner: "ida", table: "todo", row: nil, at: run.world.steps)
      let text = TaskModel.text(number)
      let item = #"{"title": "\#(text)", "value": "\#(text)", "note": "\#(text)", "list": "a", "owner": "ida"}"#
      guard let item = try? JSONText(item) else { return }
      run.note("todo", "\(name) adds \(text)")
      table.add(item)
    } else if !rows.isEmpty {
      let row = run.world.pick(rows)
      _ = run.tasks.begin(.patch, [.note], table: "todo", row: row, at: run.world.steps)
      guard let patch = try? JSONText(#"{"note": "\#(TaskModel.text(number))"}"#) else { return }
      run.note("todo", "\(name) writes \(TaskModel.text(number)) to note of \(row)")
      table.patch(row, patch)
    }
  }

  /// The edits that are not done, and that the service has not refused.
  private var open: [EditStatus] {
    process?.table.snapshot?.edits.filter { edit in if case .refused = edit.state { false } else { true } } ?? []
  }

  var openCount: Int { open.count }

  /// When all is over: nothing is left to be sent, and it shows what the others do.
  ///
  /// - Parameter rows: the rows that others show, in any order.
  /// - Returns: what is wrong.
  func problem(rows: [String]) -> String? {
    guard let snapshot = process?.table.snapshot else { return "\(name) shows nothing" }
    guard open.isEmpty else { return "\(name) still has \(open.map { "\($0.state)" })" }
    let shown = snapshot.sections.flatMap { $0.rows.map(\.id) }.sorted()
    return shown == rows ? nil : "\(name) shows \(shown), the others \(rows)"
  }
}

/// What an app keeps of its edits: outlives its processes.
///
/// `@unchecked Sendable`: used by one thread at a time.
private final class KeptInMemory: EditStore, @unchecked Sendable {
  private var all: [String: [UInt8]] = [:]

  func load() -> [[UInt8]] { all.sorted { $0.key < $1.key }.map(\.value) }
  func save(_ bytes: [UInt8]?, for key: SnapshotKey) { all[key.description] = bytes }
  func purge() { all = [:] }
}

/// A queue of the world as the client knows queues.
private struct AppQueue: ClientQueue {
  let queue: SimulatedQueue

  func async(_ work: @escaping @Sendable () -> Void) { queue.async(work) }

  func sync(_ work: () -> Void) { queue.sync(work) }
}

/// The simulation's time.
private struct AppScheduler: Scheduler {
  let face: AppFace
  /// Has something done in its process's turn.
  let turn: @Sendable (() -> Void) -> Void

  init(_ face: AppFace, _ turn: @escaping @Sendable (() -> Void) -> Void) { (self.face, self.turn) = (face, turn) }

  var now: Double { face.now }
  var date: Double { 1_790_000_000 + face.now }

  func schedule(at time: Double, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let work = CalledOff()
    face.at(time) { [turn] in
      guard !work.isCalledOff else { return }
      turn { action() }
    }
    return work
  }
}

/// The simulation's network.
private struct AppTransport: Transport {
  let face: AppFace
  let turn: @Sendable (() -> Void) -> Void

  init(_ face: AppFace, _ turn: @escaping @Sendable (() -> Void) -> Void) { (self.face, self.turn) = (face, turn) }

  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    let work = CalledOff()
    let parts = URLComponents(string: request.url)
    var query: [String: String] = [:]
    for item in parts?.queryItems ?? [] { query[item.name] = item.value ?? "" }
    var headers: [String: String] = [:]
    for (name, value) in request.headers { headers[name.lowercased()] = value }
    let path = (parts?.percentEncodedPath ?? "").split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    let sent = AppFace.Request(
      method: request.method,
      path: path,
      query: query,
      headers: headers,
      body: request.body ?? []
    )
    face.send(sent) { [turn] response in
      guard !work.isCalledOff else { return }
      turn {
        guard let response else { return completion(.failure(TransportFailure("the connection broke"))) }
        let type = response.status < 400 ? "application/json" : "application/problem+json"
        completion(
          .success(TransportResponse(status: response.status, headers: ["Content-Type": type], body: response.body))
        )
      }
    }
    return work
  }
}

/// `@unchecked Sendable`: used by one thread at a time.
private final class CalledOff: Cancellable, @unchecked Sendable {
  private(set) var isCalledOff = false

  func cancel() { isCalledOff = true }
}
