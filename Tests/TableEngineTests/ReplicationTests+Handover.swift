import Definitions
import Foundation
import JSON
import TableModel
import TableStore
import Testing
import Upstream

@testable import TableEngine

/// What a leader leaves for the next one.
extension ReplicationTests {
  /// Whoever shares the database may have written what is left.
  @Test func whatNoServiceCanHaveLeftIsNotTakenOver() throws {
    var left = Handover(layout: "a")
    var source = SourceHandover()
    (source.due, source.heldUntil, source.lengthened) = (.seconds(1), .seconds(2), .seconds(3))
    left.sources["s"] = Handover.Entry(definition: "d", source: source, tables: nil)
    let text = String(decoding: try #require(left.bytes(at: .zero)), as: UTF8.self)
    func read(_ text: String) -> Handover? {
      Handover(Lease.Handover(bytes: Array(text.utf8), age: .seconds(-3)), at: .seconds(50))
    }
    #expect(read(text) != nil)
    for name in ["due", "heldUntil", "lengthened"] {
      for high in [Int64.max, .min] {
        let place = try #require(text.range(of: "\"\(name)\":\\[[^\\]]*\\]", options: .regularExpression))
        #expect(read(text.replacingCharacters(in: place, with: "\"\(name)\":[\(high),0]")) == nil)
      }
    }
    for failures in [Int.max, -1] {
      #expect(read(text.replacingOccurrences(of: "\"failures\":0", with: "\"failures\":\(failures)")) == nil)
    }
    #expect(read(text + String(repeating: " ", count: Handover.maximumSize)) == nil)
  }

  @Test func whatIsLeftIsReadByAnothersClock() throws {
    var left = Handover(layout: "a")
    var source = SourceHandover()
    (source.due, source.heldUntil, source.failures) = (.seconds(110), .seconds(105), 2)
    source.lengthened = .seconds(90)
    source.validators = SourceHandover.Validators(entityTag: "\"a\"", lastModified: nil, itemCount: 3, isCut: false)
    let revision = Revision(number: 7, stamp: .max)
    let tables = ["t": Handover.TableRevision(revision)]
    left.sources["s"] = Handover.Entry(definition: "d", source: source, tables: tables)
    #expect(left.held == ["s": .seconds(105)])
    // Written at 100, read three seconds later, by a clock that says 50.
    let bytes = try #require(left.bytes(at: .seconds(100)))
    let read = try #require(Handover(Lease.Handover(bytes: bytes, age: .seconds(3)), at: .seconds(50)))
    let found = try #require(read.sources["s"])
    #expect(read.layout == "a" && found.definition == "d" && found.tables?["t"]?.revision == revision)
    #expect(found.source.due == .seconds(57) && found.source.heldUntil == .seconds(52))
    #expect(found.source.validators == source.validators && found.source.lengthened == .seconds(90))
    #expect(Handover(Lease.Handover(bytes: [1], age: .zero), at: .zero) == nil)
    left.layout = String(repeating: "x", count: Handover.maximumSize)
    #expect(left.bytes(at: .zero) == nil)
  }

  /// The handover of very many sources is left without what is too much: else the one before would stay in its place.
  @Test(arguments: [(600, 1, 1000), (1, 600, 0)])
  func aHandoverThatIsTooLongIsCut(entityTag: Int, definition: Int, sources: Int) throws {
    var left = Handover(layout: "a")
    (left.term, left.areMembersLeft) = (3, true)
    var source = SourceHandover()
    (source.due, source.heldUntil) = (.seconds(110), .seconds(105))
    source.validators = SourceHandover.Validators(
      entityTag: String(repeating: "e", count: entityTag),
      lastModified: nil,
      itemCount: 3,
      isCut: false
    )
    let tables = ["t": Handover.TableRevision(Revision(number: 7, stamp: 8))]
    for number in 0..<1000 {
      left.sources["s\(number)"] = Handover.Entry(
        definition: String(repeating: "d", count: definition),
        source: source,
        tables: tables
      )
    }
    let bytes = try #require(left.bytes(at: .zero))
    #expect(bytes.count <= Handover.maximumSize)
    let read = try #require(Handover(Lease.Handover(bytes: bytes, age: .zero), at: .zero))
    #expect(read.layout == "a" && read.term == 3 && read.areMembersLeft == true && read.sources.count == sources)
    for entry in read.sources.values {
      #expect(entry.tables == nil && entry.source.validators == nil)
      #expect(entry.source.due == .seconds(110) && entry.source.heldUntil == .seconds(105))
    }
  }

  /// What was found under an earlier lease may be older than others' work since.
  @Test(arguments: [("3 a", true), ("4 b", false)])
  func nothingOfAnEarlierLeaseIsLeftUnderAnother(precedence: String, isFit: Bool) {
    var state = Replica.State(rank: ReplicaRank(generation: 3, digest: "a"))
    let lease = Lease(name: "sources", holder: "a", term: 5, precedence: Array(precedence.utf8))
    _ = state.lease.tick(at: 0)
    state.handover = Handover(layout: "of term 3")
    let actions = state.acquired(lease, asked: 0, at: 0)
    #expect(actions == (isFit ? [.renew(lease), .beginFetching] : [.release(lease)]))
    #expect(state.unstoredHandover == nil)
  }

  /// The source's own definition decides whether anything of it counts, the whole configuration whether rows do.
  @Test func whatIsLeftCountsForTheSameSourceAndLayout() throws {
    func definition(_ path: String, title: String, token: String = "t") throws -> ServiceDefinition {
      let text = """
        sources: {s: {url: "https://example.com/\(path)", headers: {Authorization: "${env.TOKEN}"}}}
        tables: {t: {source: s, row: {id: "${id}"}, title: "${env.TITLE}"}}
        """
      let environment = ["TITLE": title, "TOKEN": token]
      return try ServiceDefinition.read(text, environment: environment)
    }
    let digests = HandoverDigests(try definition("1", title: "a"))
    var left = Handover(layout: digests.layout)
    left.sources["s"] = Handover.Entry(definition: digests.sources["s"] ?? "", source: SourceHandover())
    #expect(left.left("s", for: digests)?.isLaidOutAlike == true && left.left("t", for: digests) == nil)
    #expect(left.left("s", for: HandoverDigests(try definition("1", title: "b")))?.isLaidOutAlike == false)
    #expect(left.left("s", for: HandoverDigests(try definition("1", title: "a", token: "u")))?.isLaidOutAlike == false)
    #expect(left.left("s", for: HandoverDigests(try definition("2", title: "a"))) == nil)
  }
}
