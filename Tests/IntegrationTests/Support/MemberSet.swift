import Foundation
import JSON
import TestSupport

/// Replicas that share families, on a database of their own, and the upstream that these show.
final class MemberSet {
  let upstream: ScriptedUpstream
  let server: PostgresServer
  let address: String
  private(set) var replicas: [ServiceProcess] = []
  private let instances: String

  /// - Parameter instances: of the families, as the configuration has it.
  init(_ count: Int, instances: String = "{}") throws {
    (server, self.instances) = (try PostgresServer.shared.get(), instances)
    address = try server.newDatabase()
    upstream = try ScriptedUpstream { .json([["id": 1, "title": .string("first of \($0.target)")]]) }
    for _ in 0..<count { try add() }
  }

  /// Has the upstream show something else, wherever it is asked.
  func show(_ title: String) { upstream.answer([["id": 1, "title": .string(title)]]) }

  /// - Parameters:
  ///   - title: of the rows of `polled`, so that configurations differ.
  ///   - hasAll: false: without the family `once`.
  func configuration(generation: Int = 0, title: String = "${title}", hasAll: Bool = true) -> String {
    let once = """
        once:
          source: once
          parameters: {q: {}}
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          instances: \(instances)
          edits: {patch: {url: "\(upstream.url)/once/${$id}", body: "${$edit}"}}
      """
    return """
      store: {postgres: "\(address)"}
      generation: \(generation)
      locales: [en-US, de-DE]
      cells:
        Label: {nib: Label, fields: {title: string}}
        Note: {nib: Note, fields: {title: string, isOpen: boolean}, expands: isOpen}
      sources:
        polled: {url: "\(upstream.url)/polled/${$params.q}", every: 300ms, retries: 0}
        once: {url: "\(upstream.url)/once/${$params.q}", every: 0s, retries: 0, webhook: {secret: "\(ReplicaSet.secret)"}}
        slow: {url: "\(upstream.url)/slow/${$params.q}", every: 1000s, retries: 0}
        shared: {url: "\(upstream.url)/shared", every: 300ms, retries: 0}
        mine: {url: "\(upstream.url)/mine/${$params.q}", every: 300ms, retries: 0, forward: [X-User]}
        words: {local: {items: [{title: A}, {title: B}]}}
      tables:
        polled:
          source: polled
          parameters: {q: {}}
          row: {id: "${id}"}
          cell: Note
          payload: {title: "\(title)", isOpen: false}
          sharedTaps: true
          instances: \(instances)
        slow: {source: slow, parameters: {q: {}}, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
        mine:
          source: mine
          parameters: {q: {}}
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          instances: \(instances)
        shared:
          source: shared
          parameters: {q: {}}
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          sections: [{id: shared, where: title != $params.q}]
          instances: \(instances)
          edits: {patch: {url: "\(upstream.url)/shared/${$id}", body: "${$edit}"}}
        words:
          source: words
          parameters: {q: {}}
          row: {id: "${title}"}
          cell: Label
          payload: {title: "${title} ${$params.q}"}
      \(hasAll ? once : "")
      """
  }

  @discardableResult
  func add(generation: Int = 0, title: String = "${title}", hasAll: Bool = true) throws -> ServiceProcess {
    let replica = try ServiceProcess(configuration(generation: generation, title: title, hasAll: hasAll))
    replicas.append(replica)
    return replica
  }

  /// The one that asks the sources, and another one.
  func leaderAndOther() throws -> (leader: ServiceProcess, other: ServiceProcess) {
    var leader: Int?
    try awaited("a replica that asks the sources") {
      leader = try replicas.firstIndex { try $0.metric("replica_leading") == 1 }
      return leader != nil
    }
    let index = try required(leader, "a leader")
    return (replicas[index], replicas[index == 0 ? 1 : 0])
  }

  /// A member's rows, once it has some.
  func ready(_ table: String, at replica: ServiceProcess, _ headers: [String: String] = [:]) throws -> TableMirror {
    var mirror: TableMirror?
    try awaited("\(table) is ready") {
      let reply = try replica.request("GET", "/v1/tables/\(table)", headers)
      guard reply.status != 503 else { return false }
      mirror = try TableMirror(reply.json)
      return mirror?.state == "ready"
    }
    return try required(mirror, "a mirror")
  }

  /// How often the upstream was asked for something.
  ///
  /// - Parameter conditional: with validators, or without; nil: either.
  func fetches(_ path: String, conditional: Bool? = nil) -> Int { count(path, upstream.requests.current, conditional) }

  /// Waits until it was asked more often than so.
  func awaitFetches(_ path: String, moreThan number: Int) throws {
    try upstream.requests.wait(for: "requests for \(path)") { count(path, $0, nil) > number ? true : nil }
  }

  private func count(_ path: String, _ requests: [ScriptedUpstream.Request], _ conditional: Bool?) -> Int {
    requests.count { request in
      request.target == path && request.method == "GET"
        && conditional.map { $0 == (request.headers["if-none-match"] != nil) } ?? true
    }
  }

  /// What is left beside a member for whoever asks its source next, when it is as awaited; also in hexadecimal.
  @discardableResult
  func left(_ table: String, _ what: String, _ isSo: (JSONValue) -> Bool) throws -> String {
    var found: String?
    try awaited("a record of \(table) \(what)") {
      let digits = try server.ask(
        """
        SELECT encode(body, 'hex') FROM tablecast.handover JOIN tablecast.feed ON id = feed
        WHERE name = convert_to('\(table)', 'UTF8')
        """,
        in: address
      )
      let bytes = stride(from: 0, to: digits.utf8.count & ~1, by: 2).compactMap { offset in
        UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
      }
      guard let json = try? JSONValue(parsing: bytes), isSo(json) else { return false }
      found = String(digits.prefix { $0 != "\n" })
      return true
    }
    return try required(found, "a record")
  }

  /// The member stands as the last answer of its source made it, which may be asked for conditionally.
  @discardableResult
  func leftWhole(_ table: String) throws -> String {
    try left(table, "with validators") { record in
      let entry = record["sources"]?[String(table.prefix { $0 != ";" })]
      return entry?["tables"] != nil && entry?["source"]?["validators"]?["entityTag"] != nil
    }
  }

  /// In how many seconds a replica will ask a source by itself.
  func next(_ source: String, at replica: ServiceProcess) throws -> Double? {
    let sources = try replica.request("GET", "/v1/sources").json["sources"]?.elements ?? []
    let next = sources.first { $0["id"] == .string(source) }?["next"]?.text
    return next.flatMap { ISO8601DateFormatter().date(from: $0) }?.timeIntervalSinceNow
  }

  /// The names of the members that are stored.
  func stored() throws -> [String] {
    try server.ask("SELECT convert_from(name, 'UTF8') FROM tablecast.feed ORDER BY 1", in: address)
      .split(separator: "\n").map(String.init).filter { $0.contains(";") }
  }

  /// In how many rows of all of the database's tables some bytes stand.
  func rows(with text: String) throws -> Int {
    let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let tables = ["feed", "change", "row", "item", "object", "toggle", "answer", "lease", "view", "info", "handover"]
    let parts = tables.map { "SELECT part::text AS x FROM tablecast.\($0) AS part" }.joined(separator: " UNION ALL ")
    let found = try server.ask(
      "SELECT count(*) FROM (\(parts)) AS parts WHERE x LIKE '%\(digits)%' OR x LIKE '%\(text)%'",
      in: address
    )
    return try required(Int(found.trimmingCharacters(in: .whitespacesAndNewlines)), "a count")
  }
}
