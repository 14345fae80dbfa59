import TableModel
import TestSupport
import Testing

@testable import TableEngine

@Suite struct VersionConditionTests {
  /// They are compared where edits wait: what a client lists is read before, on the loop, and costs next to nothing here.
  @Test func manyConditionsAreComparedAtOnce() throws {
    let tags = (0..<1400).map { "0123456789ab.\($0 + 1)" }
    let cursors = tags.compactMap { Cursor($0) }
    #expect(cursors.count == tags.count)
    let condition = VersionCondition.oneOf(cursors)
    let version = try #require(Cursor("0123456789ab.5000"))
    #expect(condition.holds(for: cursors[1399]) && !condition.holds(for: version))
    let reading = processorTime { for tag in tags { _ = Cursor(tag) } }
    let comparing = processorTime { _ = condition.holds(for: version) }
    #expect(comparing * 4 < reading, "\(comparing) beside \(reading)")
  }
}
