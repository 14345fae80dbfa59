import Foundation
import JSON
import TestSupport
import Testing

/// Repeats of edits that were sent to an upstream through members of families, after a restart.
@Suite struct MemberAnswerTests {
  @Test func aKeyHoldsThroughARestart() throws {
    let (upstream, issuer, folder) = (try ListUpstream(), try Issuer(), try TemporaryFolder())
    let configuration =
      upstream.configuration.replacingOccurrences(of: "memory", with: "{path: \"{folder}/store.sqlite\"}")
      .replacingOccurrences(of: ", forward: [Authorization]", with: "")
      // The members of one differ by a parameter, those of the other by who asks.
      .replacingOccurrences(
        of: "\ntables:",
        with: "\nauth: {jwt: \(issuer.configuration(", allow: {edit: true}"))}\ntables:"
      )
    let table = configuration.components(separatedBy: "  t:\n")[1]
    let members =
      configuration + "\n    parameters: {q: {default: all}}\n  mine:\n" + table
      + "\n    sections: [{id: all, where: $caller.claims.sub != null}]\n"
    var service = try ServiceProcess(members, in: folder)
    func add(_ target: String, _ subject: String, _ title: String = "New") throws -> Reply {
      let headers = issuer.token(subject).merging(["Idempotency-Key": "once"]) { $1 }
      return try service.request("POST", "/v1/tables/\(target)/items", headers, body: ["title": .string(title)])
    }
    let targets = [("t;q=some", "ada"), ("mine", "ada"), ("mine", "bob")]
    let first = try targets.map { try add($0.0, $0.1) }
    #expect(first.map(\.status) == [201, 201, 201] && upstream.edits.count == 3)
    try service.end()
    service = try ServiceProcess(members, in: folder)
    for ((target, subject), first) in zip(targets, first) {
      let again = try add(target, subject)
      #expect(again.status == 201 && again["Location"] == first["Location"], "\(target), \(subject): \(again.text)")
      #expect(try again.json["id"] == first.json["id"])
      #expect(try add(target, subject, "Another").status == 422)
    }
    #expect(upstream.edits.count == 3, "nothing was sent again")
  }
}
