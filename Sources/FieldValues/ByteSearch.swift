/// Finds a mark in bytes that are given one by one (Knuth, Morris and Pratt): in linear time, however text and mark
/// repeat themselves.
public struct ByteSearch: Sendable {
  public let mark: [UInt8]
  /// How much of the mark still stands where it goes on differently, by how much of it was found.
  private var shorter: [Int]
  private var found = 0

  /// - Precondition: the mark is not empty.
  public init(_ mark: [UInt8]) {
    precondition(!mark.isEmpty, "a mark of no bytes is everywhere")
    self.mark = mark
    shorter = [0]
    var length = 0
    for byte in mark.dropFirst() {
      while length > 0, mark[length] != byte { length = shorter[length - 1] }
      if mark[length] == byte { length += 1 }
      shorter.append(length)
    }
  }

  /// Returns whether the mark ends with this byte; the search starts anew then, as occurrences don't overlap.
  public mutating func takes(_ byte: UInt8) -> Bool {
    while found > 0, mark[found] != byte { found = shorter[found - 1] }
    if mark[found] == byte { found += 1 }
    guard found == mark.count else { return false }
    found = 0
    return true
  }
}
