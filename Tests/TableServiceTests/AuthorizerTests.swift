import Configuration
import Definitions
import Testing

@testable import TableService

/// The judge while one configuration takes another one's place.
@Suite struct AuthorizerTests {
  private func authorizer(_ rules: String) throws -> Authorizer {
    let text = """
      store: memory
      \(rules)
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables: {notes: {source: {local: {items: []}}, cell: Label, payload: {title: "${title}"}}}
      """
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "test", environment: [:])
    return Authorizer(try #require(definition, "\(diagnostics)"), [], isOpen: false)
  }

  private func closed(to name: String) throws -> Authorizer {
    let hash = String(repeating: "00", count: 32)
    return try authorizer("auth: {reading: tokens, tokens: [{name: \(name), sha256: \(hash), allow: [read]}]}")
  }

  @Test func oneThatIsOpenDoesNotOpenTheOther() throws {
    let (open, closed) = (try authorizer(""), try closed(to: "a"))
    #expect(!open.isRestricted(.read) && closed.isRestricted(.read))
    for both in [Authorizer(open, and: closed), Authorizer(closed, and: open)] {
      #expect(both.isRestricted(.read) && !both.isAlone)
    }
  }

  /// Tables may still show what is of the second one when a third comes.
  @Test func aThirdOneDoesNotTakeTheSecondOnesPlace() throws {
    let (open, closed) = (try authorizer(""), try closed(to: "a"))
    let third = try authorizer("auth: {reading: open, tokens: []}")
    let two = Authorizer(open, and: closed)
    #expect(Authorizer(two, and: third).isRestricted(.read))
    #expect(Authorizer(third, and: two).isRestricted(.read))
  }

  @Test func theOtherOneCountsForTablesThatShowItsRows() throws {
    let both = Authorizer(try authorizer(""), and: try closed(to: "a"), for: ["notes"])
    #expect(both.refusal(of: Credentials(), .read, table: "notes") != nil)
    #expect(both.refusal(of: Credentials(), .read, table: "more") == nil)
  }

  /// However often a configuration is read again.
  @Test func oneThatDecidesTheSameCountsOnce() throws {
    let closed = try closed(to: "a")
    #expect(Authorizer(closed, and: try self.closed(to: "a")).isAlone)
    #expect(!Authorizer(closed, and: try self.closed(to: "b")).isAlone)
    var judge = try authorizer("")
    for _ in 1...3 { for name in ["a", "b"] { judge = Authorizer(try self.closed(to: name), and: judge) } }
    #expect(judge.count == 3)
  }
}
