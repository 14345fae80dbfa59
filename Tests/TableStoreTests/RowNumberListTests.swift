import TestSupport
import Testing

@testable import TableStore

@Suite struct RowNumberListTests {
  /// Versions of a long list, each made of pieces of the one before and of new numbers: as an array would be.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func isAsAnArrayIs(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var next: UInt64 = 0
    var (list, array) = (RowNumberList(), [UInt64]())
    for version in 0..<60 {
      var (newList, newArray) = (RowNumberList(), [UInt64]())
      let cuts = ([0, array.count] + (0..<3).map { _ in Int.random(in: 0...array.count, using: &generator) }).sorted()
      for (from, to) in zip(cuts, cuts.dropFirst()) {
        let kept = from..<(to - min(to - from, Int.random(in: 0...2, using: &generator)))
        newList.append(kept, of: list)
        newArray += array[kept]
        let few = UInt64.random(in: 0...3, using: &generator)
        let added = next..<(next + (version % 20 == 0 ? 3000 : few))
        if version % 2 == 0 { newList.append(added) } else { added.forEach { newList.append($0) } }
        newArray += added
        next = added.upperBound
      }
      (list, array) = (newList, newArray)
      #expect(Array(list) == array, "seed \(seed), version \(version)")
      #expect(list.count == array.count)
      let places = (0..<20).map { _ in Int.random(in: array.indices, using: &generator) } + [0, array.count - 1]
      #expect(places.map { list[$0] } == places.map { array[$0] }, "seed \(seed), version \(version)")
      #expect(list.partCount <= 1 + 2 * array.count / RowNumberList.partLimit, "seed \(seed), version \(version)")
    }
  }

  /// A row in the middle costs its part, however long the list.
  @Test func sharesParts() {
    let count = 50 * RowNumberList.partLimit
    var list = RowNumberList()
    list.append(0..<UInt64(count))
    var next = RowNumberList()
    next.append(0..<count / 2, of: list)
    next.append(UInt64(count))
    next.append(count / 2 + 1..<count, of: list)
    #expect(next.countOfPartsShared(with: list) >= list.partCount - 2)
  }
}
