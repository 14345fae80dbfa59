import Foundation
import JSON
import TestSupport
import Testing

/// Polls that ask the same share what they ask, and never what their callers may.
@Suite struct PollRightsTests {
  private static func configuration(_ reading: String, _ tokens: [String], limit: Bool) throws -> String {
    let entries = try tokens.map { "    - {name: \($0), sha256: \"\(try sha256($0))\", allow: [read, edit]}" }
    return todo + "\nauth:\n  reading: \(reading)\n  tokens:\n" + entries.joined(separator: "\n")
      + (limit ? "\nlimits: {waitersPerCaller: 8}\n" : "\n")
  }

  /// Of callers who ask alike one loses its token and nobody may read any longer: each is answered as it is entitled to be.
  @Test(arguments: [false, true]) func callersWhoAskAlike(limit: Bool) throws {
    let service = try ServiceProcess(Self.configuration("open", ["stays", "goes"], limit: limit))
    let callers = ["stays", "goes", nil]
    let polls = try callers.flatMap { caller in
      // Who may edit is shown rows otherwise.
      let mirror = try service.mirror("todo", caller.map(bearer) ?? [:])
      return try (0..<3).map { device in
        // The same bytes, but for what tells devices and callers apart; two devices are alike.
        let headers = ["User-Agent": "board \(min(device, 1))"].merging(caller.map(bearer) ?? [:]) { $1 }
        return (caller, mirror, try service.poll("todo", after: mirror.cursor, headers))
      }
    }
    #expect(polls[0].1.cursor == polls[3].1.cursor)
    try service.awaitPolls(polls.count)
    try service.folder.write(Self.configuration("tokens", ["stays"], limit: limit))
    service.signal(SIGHUP)
    try awaited("the new configuration") { try service.request("GET", "/v1/tables/todo").status == 401 }
    #expect(
      try service.request("PATCH", "/v1/tables/todo/items/1", bearer("stays"), body: ["title": "B"]).status == 200
    )
    for (caller, mirror, poll) in polls {
      let reply = try poll.value()
      #expect(reply.status == (caller == "stays" ? 200 : 401), "\(caller ?? "nobody"): \(reply.text)")
      guard caller == "stays" else { continue }
      var changed = mirror
      try changed.apply(reply.json)
      #expect(changed.resets.isEmpty && changed.titles.first?.first == "B")
    }
    try service.awaitMetric("waiting_polls", 0)
    // All shares of waiters were given back.
    let now = try service.mirror("todo", bearer("stays"))
    let more = try (0..<8).map { _ in try service.poll("todo", after: now.cursor, wait: 1, bearer("stays")) }
    for poll in more { #expect(try poll.value().status == 200) }
  }

  /// A wait ends with its own caller's token, though another one's who asks the same lasts longer.
  @Test func callersWhoseTokensEndAtOtherTimes() throws {
    let issuer = try Issuer()
    let jwt = issuer.configuration(", leeway: 1s, allow: {edit: true}")
    let service = try ServiceProcess(todo + "\nauth:\n  jwt: \(jwt)\n")
    let end = (Date().timeIntervalSince1970 + 2).rounded(.up)
    let (lasting, ending) = (issuer.token("ada"), issuer.token("bob", ["exp": .double(end)]))
    let (mirror, others) = (try service.mirror("todo", lasting), try service.mirror("todo"))
    let first = try service.poll("todo", after: mirror.cursor, lasting)
    let second = try service.poll("todo", after: mirror.cursor, ending)
    let nobodys = try service.poll("todo", after: others.cursor)
    try service.awaitPolls(3)
    #expect(try second.value().status == 401)
    try service.awaitMetric("waiting_polls", 2)
    #expect(try service.request("PATCH", "/v1/tables/todo/items/1", lasting, body: ["title": "B"]).status == 200)
    for (reply, mirror) in [(try first.value(), mirror), (try nobodys.value(), others)] {
      var changed = mirror
      try changed.apply(reply.json)
      #expect(reply.status == 200 && changed.titles.first?.first == "B")
    }
  }
}
