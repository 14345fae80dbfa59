import TableStore
import Testing

@testable import TableEngine

/// Answers to idempotent requests to what no store keeps.
@Suite struct RememberedAnswersTests {
  private static func reply(_ caller: String, _ key: String, body: Int = 1, expires: Int64 = .max) -> StoredReply {
    StoredReply(
      caller: caller,
      scope: "POST /items",
      key: key,
      request: [1],
      status: 200,
      headers: [],
      body: [UInt8](repeating: 7, count: body),
      expires: expires
    )
  }

  private func answer(_ caller: String, _ key: String, table: String = "t", route: String = "POST /items")
    -> StoredReply?
  {
    answers.answer(TableStore.ReplyKey(caller: caller, table: table, scope: route, key: key))
  }

  private let answers = RememberedAnswers()

  private func remember(_ caller: String, _ key: String, body: Int = 1, expires: Int64 = .max) {
    answers.remember(Self.reply(caller, key, body: body, expires: expires), table: "t")
  }

  private func isKept(_ caller: String, _ key: String) -> Bool {
    answer(caller, key) != nil
  }

  @Test func aKeyIsItsCallersItsTablesAndItsRoutes() {
    remember("ann", "k")
    #expect(isKept("ann", "k"))
    #expect(!isKept("bob", "k") && !isKept("", "k") && !isKept("ann", "l"))
    #expect(answer("ann", "k", table: "u") == nil)
    #expect(answer("ann", "k", route: "PATCH /items/1") == nil)
  }

  @Test func oneCallersAnswersAreBoundedInNumber() {
    for number in 0..<1100 { remember("ann", "\(number)") }
    #expect(answers.size.count == 1000)
    remember("bob", "k")
    #expect(isKept("bob", "k"), "what one has too many of, nobody else goes without")
    #expect(isKept("ann", "1099") && !isKept("ann", "0"))
  }

  @Test func oneCallersAnswersAreBoundedInBytes() {
    remember("bob", "k")
    for number in 0..<100 { remember("ann", "\(number)", body: 100_000) }
    #expect(answers.size.bytes <= 2 << 20)
    #expect(isKept("bob", "k") && isKept("ann", "99") && !isKept("ann", "0"))
  }

  @Test func allOfThemAreBounded() {
    for number in 0..<10_100 { remember("c\(number)", "k") }
    #expect(answers.size.count == 10_000)
    #expect(!isKept("c0", "k") && isKept("c10099", "k"), "the oldest goes first")
    for number in 0..<20 { remember("d\(number)", "k", body: 900_000) }
    #expect(answers.size.bytes <= 8 << 20)
    #expect(!isKept("c10099", "k") && isKept("d19", "k"))
  }

  @Test func whatExpiresIsGone() {
    remember("ann", "k", expires: 1)
    #expect(!isKept("ann", "k"))
    remember("ann", "l")
    #expect(answers.size.count == 1)
  }
}
