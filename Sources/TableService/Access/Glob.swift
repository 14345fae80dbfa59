/// A pattern in which `*` stands for any text, and everything else for itself.
struct Glob {
  private let pattern: [UInt8]

  init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

  /// O(name × pattern), whatever the pattern: only the last star is ever gone back to.
  func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    var (position, place) = (0, 0)
    /// The last star, and how much of the name it stands for.
    var star: (place: Int, position: Int)?
    while position < name.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, position)
        place += 1
      } else if place < pattern.count, pattern[place] == name[position] {
        (position, place) = (position + 1, place + 1)
      } else if let last = star {
        star = (last.place, last.position + 1)
        (position, place) = (last.position + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
