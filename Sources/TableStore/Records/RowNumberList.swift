/// The numbers of a section's rows, in the rows' order: a list of parts that the lists of later versions share.
struct RowNumberList: Sendable, Sequence {
  /// None empty, and of two that are neighbours never few enough for one.
  private var parts: [[UInt64]] = []
  /// The number of elements up to the end of each part.
  private var ends: [Int] = []

  /// The elements of a part. What changes in a long list costs a part or two, and a reference for each of the others.
  static let partLimit = 2048

  var count: Int { ends.last ?? 0 }

  var partCount: Int { parts.count }

  /// The number of its parts that are in the same memory as one of another list.
  func countOfPartsShared(with other: RowNumberList) -> Int {
    let others = Set(other.parts.map { $0.withUnsafeBufferPointer(\.baseAddress) })
    return parts.count { others.contains($0.withUnsafeBufferPointer(\.baseAddress)) }
  }

  /// O(log parts).
  subscript(position: Int) -> UInt64 {
    let part = part(of: position)
    return parts[part][position - start(of: part)]
  }

  mutating func append(_ number: UInt64) {
    guard hasRoom(for: 1) else { return appendFew(CollectionOfOne(number)) }
    parts[parts.count - 1].append(number)
    ends[ends.count - 1] += 1
  }

  mutating func append(_ numbers: Range<UInt64>) {
    var rest = numbers
    while !rest.isEmpty {
      appendFew(rest.prefix(Self.partLimit))
      rest = rest.dropFirst(Self.partLimit)
    }
  }

  /// Appends some of another list's elements. O(parts).
  mutating func append(_ positions: Range<Int>, of other: RowNumberList) {
    guard !positions.isEmpty else { return }
    for part in other.part(of: positions.lowerBound)...other.part(of: positions.upperBound - 1) {
      let (start, numbers) = (other.start(of: part), other.parts[part])
      let wanted = positions.clamped(to: start..<start + numbers.count)
      if wanted.count == numbers.count, !hasRoom(for: wanted.count) {
        parts.append(numbers)
        ends.append(count + wanted.count)
      } else {
        appendFew(numbers[(wanted.lowerBound - start)..<(wanted.upperBound - start)])
      }
    }
  }

  /// No more than a part takes.
  private mutating func appendFew(_ numbers: some Collection<UInt64>) {
    let end = count + numbers.count
    if hasRoom(for: numbers.count) {
      parts[parts.count - 1] += numbers
      ends[ends.count - 1] = end
    } else {
      parts.append(Array(numbers))
      ends.append(end)
    }
  }

  private func hasRoom(for more: Int) -> Bool { parts.last.map { $0.count + more <= Self.partLimit } ?? false }

  private func start(of part: Int) -> Int { part == 0 ? 0 : ends[part - 1] }

  private func part(of position: Int) -> Int {
    var range = 0..<ends.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = ends[middle - 1] <= position ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  func makeIterator() -> FlattenSequence<[[UInt64]]>.Iterator { parts.joined().makeIterator() }
}
