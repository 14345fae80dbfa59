/// The cells that a client says it can show (`Accept-Cells`): each by its name, up to a version.
package struct AcceptedCells: Hashable, Sendable {
  /// By the names' hashes, which nobody outside can choose: whoever waits keeps them, and names may be long.
  private let versions: [Int: Int]

  /// The most cells that a client may list: more than any configuration has.
  package static let maximum = 512

  /// Reads the members of the list: `Name` or `Name;v=2`. O(bytes).
  package init(_ members: [String]) throws(TableError) {
    guard members.count <= Self.maximum else {
      throw .malformed(
        "`Accept-Cells` lists more than \(Self.maximum) cells, which are the most.",
        field: "Accept-Cells"
      )
    }
    var versions: [Int: Int] = [:]
    for member in members where !member.isEmpty {
      let bytes = Array(member.utf8)
      let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
      let name = String(decoding: Self.trimmed(bytes[..<end]), as: UTF8.self)
      guard !name.isEmpty, name.utf8.count <= 256 else {
        throw .malformed("`\(Self.beginning(of: member))` is no cell: `Name` or `Name;v=2` is.", field: "Accept-Cells")
      }
      guard let version = Self.version(bytes[end...]) else {
        throw .malformed(
          "`\(Self.beginning(of: member))`: after the name only `;v=` and a number can stand.",
          field: "Accept-Cells"
        )
      }
      versions[name.hashValue] = max(version, versions[name.hashValue] ?? version)
    }
    self.versions = versions
  }

  /// Returns whether a cell of this version can be shown: one listed without `v` in any version, one with it up to
  /// that.
  func accepts(_ cellIdentifier: String, version: Int) -> Bool {
    versions[cellIdentifier.hashValue].map { version <= $0 } ?? false
  }

  /// The last of the versions among parameters, any without one; nil where one of them is something else. O(bytes).
  private static func version(_ parameters: ArraySlice<UInt8>) -> Int? {
    var version = Int.max
    var start = parameters.startIndex
    while start < parameters.endIndex {
      // It stands at a semicolon.
      start += 1
      var end = start
      while end < parameters.endIndex, parameters[end] != UInt8(ascii: ";") { end += 1 }
      let parameter = parameters[start..<end]
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")),
        trimmed(parameter[..<equals]).elementsEqual([0x76]),
        let number = number(trimmed(parameter[(equals + 1)...]))
      else { return nil }
      version = number
      start = end
    }
    return version
  }

  /// For messages. Not of characters: one can be as long as a head.
  private static func beginning(of member: String) -> String { String(member.unicodeScalars.prefix(80)) }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (tens, hasOverflown) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuch) = tens.addingReportingOverflow(Int(digit & 0xf))
      guard !hasOverflown, !isTooMuch else { return nil }
      number = sum
    }
    return number
  }

  /// Without spaces and tabs at either end.
  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var (start, end) = (bytes.startIndex, bytes.endIndex)
    while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    return bytes[start..<end]
  }
}
