import TableModel
import Testing

@testable import TableEngine

/// Searches are the clients' to choose: what is noted of them is bounded in number and in bytes.
@Suite struct FoundStandingsTests {
  @Test(arguments: [(4, true), (15_000, false)])
  func longSearchesAreForgotten(length: Int, isKept: Bool) {
    let epoch = Epoch.random()
    var standings = FoundStandings()
    func kind(_ number: Int) -> WaitedLenses.Kind {
      let value = Array("\(number)".utf8) + [UInt8](repeating: 97, count: length)
      return .init(Lens(find: FindSearch(choices: [.init(filter: Array("f".utf8), value: value)])))
    }
    for number in 0..<1_000 { standings.begin(kind(number), Cursor(epoch: epoch, version: 1)) }
    #expect((standings.checked(kind(0), epoch) != nil) == isKept)
    #expect(standings.checked(kind(999), epoch) == 1)
  }
}
