import Definitions
import JSON
import TableStore
import Testing

@testable import TableEngine

/// A table that depends on who asks is a family, and one that doesn't is none: a reload may turn the one into the other.
@Suite struct FamilyReloadTests {
  private let caller = CallerFields([], values: ["claims": ["sub": "ada"]])

  private func definition(_ condition: String) throws -> ServiceDefinition {
    try ServiceDefinition.read(
      """
      sources: {notes: {local: {items: [{owner: ada, title: A}, {owner: bob, title: B}]}}}
      auth: {jwt: {issuer: "https://id.example.com", audience: test, jwks: keys.json}}
      tables:
        own: {source: notes, sections: [{id: own, where: "\(condition)"}]}
        all: {source: notes}
      """
    )
  }

  private func own(_ catalog: Catalog) throws -> LiveTable {
    var budget = MemberBudget()
    return try catalog.table(TableReference(name: "own"), in: nil, for: caller, &budget)
  }

  private func isWithoutNews(_ ending: WaitEnding?) -> Bool { if case .withoutNews? = ending { true } else { false } }

  /// Whose member who waits is to be shown only a request of theirs tells.
  @Test func aFamilyInATablesPlace() throws {
    let engine = try Engine(definition("owner != null"), EngineEnvironment.silent(MemoryStore()))
    let before = engine.catalog
    let table = try own(before)
    try engine.adopt(try engine.prepare(definition("owner == $caller.claims.sub")))
    #expect(isWithoutNews(table.ending))
    #expect(table.absence?.kind == .unavailable && table.departure?.kind == .unavailable)
    #expect(try own(before) === table, "requests by the configuration before are told to come again")
    #expect(try own(engine.catalog).isMember)
  }

  @Test func aTableInAFamilysPlace() throws {
    let engine = try Engine(definition("owner == $caller.claims.sub"), EngineEnvironment.silent(MemoryStore()))
    let before = engine.catalog
    let member = try own(before)
    #expect(member.isMember)
    try engine.adopt(try engine.prepare(definition("owner != null")))
    let table = try own(engine.catalog)
    guard case .replaced(let next)? = member.ending else {
      Issue.record("the member is not replaced")
      return
    }
    #expect(next === table && !table.isMember && member.latest === table)
    #expect(try own(before) === table, "requests by the configuration before find it, too")
  }

  /// What is gone is still gone.
  @Test func noTableInATablesPlace() throws {
    let engine = try Engine(definition("owner != null"), EngineEnvironment.silent(MemoryStore()))
    let table = try own(engine.catalog)
    let other = "sources: {notes: {local: {items: []}}}\ntables: {all: {source: notes}}"
    try engine.adopt(try engine.prepare(ServiceDefinition.read(other)))
    guard case .refused(let error)? = table.ending else {
      Issue.record("the table is not refused")
      return
    }
    #expect(error.kind == .unknown && table.absence?.kind == .unknown)
  }
}
