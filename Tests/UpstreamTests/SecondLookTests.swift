import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct SecondLookTests {
  /// Items that are their own identities.
  private static func page(_ identities: [Int]) throws -> SecondLook.Page {
    let list = try ListedText(JSONValue.array(identities.map { .integer(Int64($0)) }).bytes)
    return SecondLook.Page(text: ResponseCheck.Text(body: list.bytes, list: list), identities: identities)
  }

  /// Two walks over the items 1 to 5, which were there before, and the list that comes of them.
  @Test(
    arguments: [
      ([[1, 2, 3], [4, 5]], [[1, 2], [5]], [1, 2, 3, 4, 5]), ([[1, 2], [3, 4, 5]], [[3], [5]], [1, 2, 3, 4, 5]),
      ([[1, 2, 3], [4, 5]], [[], []], [1, 2, 3, 4, 5]), ([[2, 9, 3]], [[1, 2, 3]], [1, 2, 9, 3]),
      ([[5, 4], [3]], [[5, 2], [4]], [5, 2, 3, 4]),
    ] as [([[Int]], [[Int]], [Int])]
  )
  func carriedItemsStandBehindTheOneBefore(_ first: [[Int]], _ second: [[Int]], _ expected: [Int]) throws {
    let merged = try SecondLook.merge(first.map(Self.page), into: second.map(Self.page), known: Array(1...5))
    #expect(merged.identities == expected)
    let items = merged.pages.map { String(decoding: $0.text.body, as: UTF8.self) }
    #expect(items.joined(separator: ",").filter(\.isNumber) == expected.map(String.init).joined())
  }

  /// The first and the second are equal for Swift, and two items all the same.
  @Test func identitiesAreToldApartByTheirBytes() throws {
    var definition = try UpstreamDefinition(quick: "http://a.test/")
    definition.identity = try Template("${id}")
    let list = try ListedText(Array(#"[{"id":"\u00e9"},{"id":"e\u0301"},{"id":"\u00e9","n":1}]"#.utf8))
    let check = ResponseCheck(redaction: Redaction(hiding: []))
    let text = ResponseCheck.Text(body: list.bytes, list: list)
    let identities = try #require(check.identities(in: text, definition))
    #expect(identities.count == 3 && identities[0] != identities[1] && identities[0] == identities[2])
  }

  /// It costs about the same whether every other item is left, or none.
  @Test func itTakesLinearTime() throws {
    let known = Array(0..<6000)
    let first = try [Self.page(known)]
    let (half, nothing) = try ([Self.page(known.filter { $0 % 2 == 0 })], [Self.page([-1])])
    let usual = try processorTime { _ = try SecondLook.merge(first, into: half, known: known) }
    let most = try processorTime { _ = try SecondLook.merge(first, into: nothing, known: known) }
    #expect(most < usual * 20, "\(most) beside \(usual)")
  }
}
