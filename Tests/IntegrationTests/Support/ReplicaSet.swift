import Foundation
import JSON
import TestSupport

/// Replicas of one service on a database of their own, and the upstream that they show.
final class ReplicaSet {
  let upstream: ScriptedUpstream
  let server: PostgresServer
  let address: String
  private(set) var replicas: [ServiceProcess] = []
  static let secret = "a secret of the hook"

  /// - Parameter server: the shared one, unless a test is to stop it.
  init(_ count: Int, on server: PostgresServer? = nil) throws {
    self.server = try server ?? PostgresServer.shared.get()
    address = try self.server.newDatabase()
    upstream = try ScriptedUpstream([Self.item("first")])
    for _ in 0..<count { try add() }
    for replica in replicas { try replica.follow("up", until: "is ready") { $0.state == "ready" } }
  }

  static func item(_ title: String) -> JSONValue { ["id": 1, "title": .string(title)] }

  /// - Parameter title: of the local table's rows, so that configurations differ.
  func configuration(generation: Int = 0, title: String = "${title}") -> String {
    """
    store: {postgres: "\(address)"}
    generation: \(generation)
    cells:
      Label: {nib: Label, fields: {title: string}}
      Note: {nib: Note, fields: {title: string, isOpen: boolean}, expands: isOpen}
    sources:
      list: {url: "\(upstream.url)/list", every: 300ms, retries: 0, webhook: {secret: "\(Self.secret)"}}
      named: {url: "\(upstream.url)/list?q=${$params.q}", every: 0s, retries: 0}
      quiet: {url: "\(upstream.url)/quiet", every: 0s, retries: 0, webhook: {secret: "\(Self.secret)"}}
      again: {url: "\(upstream.url)/again", every: 0s, retries: 0}
    tables:
      up:
        source: list
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits: {patch: {url: "\(upstream.url)/list/${$id}", body: "${$edit}"}}
      open: {source: list, row: {id: "${id}"}, cell: Note, payload: {title: "${title}", isOpen: false}, sharedTaps: true}
      named:
        source: named
        parameters: {q: {}}
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits: {patch: {url: "\(upstream.url)/list/${$id}", body: "${$edit}"}}
      twice:
        source: again
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        sections: {match: all, list: [{id: all}, {id: again}]}
        edits: {patch: {url: "\(upstream.url)/quiet/${$id}", body: "${$edit}"}}
      quiet:
        source: quiet
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        edits:
          insert: {url: "\(upstream.url)/quiet", body: "${$edit}"}
          patch: {url: "\(upstream.url)/quiet/${$id}", body: "${$edit}"}
          delete: {url: "\(upstream.url)/quiet/${$id}"}
          move: {method: PUT, url: "\(upstream.url)/quiet/${$id}/place", body: "${$edit}"}
        actions: {mark: {title: Mark, request: {method: POST, url: "\(upstream.url)/quiet/${$id}/mark"}}}
      notes:
        source: {local: {items: [{title: A}, {title: B}]}}
        cell: Note
        payload: {title: "${title}", isOpen: false}
      todo: {source: {local: {items: [{title: A}]}}, cell: Label, payload: {title: "\(title)"}}
    """
  }

  @discardableResult
  func add(generation: Int = 0, title: String = "${title}") throws -> ServiceProcess {
    try add(configuration(generation: generation, title: title))
  }

  @discardableResult
  func add(_ configuration: String, _ environment: [String: String] = [:]) throws -> ServiceProcess {
    let replica = try ServiceProcess(configuration, environment: environment)
    replicas.append(replica)
    return replica
  }

  /// Sends a request with a key again while it is answered 503, as clients do: the machine may be too slow for what a
  /// service waits for.
  static func settled(
    _ replica: ServiceProcess,
    _ method: String,
    _ target: String,
    key: String,
    _ headers: [String: String] = [:],
    body: JSONValue? = nil
  ) throws -> Reply {
    var reply: Reply?
    try awaited("an answer to \(method) \(target)") {
      reply = try replica.request(method, target, headers.merging(["Idempotency-Key": key]) { $1 }, body: body)
      return reply?.status != 503
    }
    return try required(reply, "an answer")
  }

  /// Waits until one replica, of those that are named, asks the sources, and no other does.
  func awaitOneLeader(_ indices: [Int]? = nil) throws {
    try awaited("one replica that asks the sources") {
      try (indices ?? Array(replicas.indices)).map { try replicas[$0].metric("replica_leading") }.reduce(0, +) == 1
    }
  }

  /// The one that asks the sources, of those that are named, when there is one.
  func leader(of indices: [Int]? = nil) throws -> Int {
    var leader: Int?
    try awaited("a replica that asks the sources") {
      leader = try (indices ?? Array(replicas.indices)).first { try replicas[$0].metric("replica_leading") == 1 }
      return leader != nil
    }
    return try required(leader, "a leader")
  }

  /// Waits until all that are named have the same bytes of each table.
  func converge(_ indices: [Int]? = nil) throws {
    let live = (indices ?? Array(replicas.indices)).map { replicas[$0] }
    for table in ["up", "quiet", "todo"] {
      try awaited("the same \(table) on all replicas") {
        Set(try live.map { try $0.request("GET", "/v1/tables/\(table)").text }).count == 1
      }
    }
  }
}

/// Asks until something is so.
func awaited(_ what: String, seconds: Double = 60, _ isSo: () throws -> Bool) throws {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < deadline {
    if try isSo() { return }
    Thread.sleep(forTimeInterval: 0.02)
  }
  throw TimeOut(what)
}
