import FieldValues
import TableEngine
import TableModel

/// One `after` of a poll of several tables: `TABLE:CURSOR`, or with a lens of its own `TABLE;;MEMBERS:CURSOR`.
struct FollowedPair: Sendable {
  /// The number of its `after`, from 0.
  let number: Int
  /// Nil where the table's name can't be read: an escape is malformed, or a parameter has no name.
  let reference: TableReference?
  /// The table's name as the client wrote it.
  let table: Substring
  /// The lens after `;;`; nil where the query's lens counts.
  let members: Substring?
  /// Empty where the client has nothing yet.
  let cursor: Substring
  /// The text before the cursor and its colon, as the client wrote it.
  let text: Substring

  /// Splits it at its last colon, then at the first `;;`; nil where there is no colon, or nothing for a name. O(bytes).
  init?(_ pair: String, number: Int) {
    guard let colon = pair.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    (text, cursor) = (pair[..<colon], pair[pair.utf8.index(after: colon)...])
    (table, members) = Self.halves(text)
    guard !table.isEmpty else { return nil }
    (self.number, reference) = (number, TableReference(segment: table))
  }

  private static func halves(_ text: Substring) -> (table: Substring, members: Substring?) {
    let bytes = text.utf8
    var isBehind = false
    for index in bytes.indices {
      let isSemicolon = bytes[index] == UInt8(ascii: ";")
      if isSemicolon, isBehind { return (text[..<bytes.index(before: index)], text[bytes.index(after: index)...]) }
      isBehind = isSemicolon
    }
    return (text, nil)
  }

  /// How its table is seen.
  ///
  /// - Parameter request: as the query says it: what it says of cells counts for all.
  func lens(in request: LensRequest) throws(ServiceError) -> LensRequest {
    guard let members else { return request }
    var lens = LensRequest(cells: request.cells)
    var seen: Set<String> = []
    var (count, search): (Int, [(name: String, value: String)]) = (0, [])
    for part in members.isEmpty
      ? [] : members.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    {
      let member = try Self.member(Substring(part))
      count += 1
      guard count <= Self.mostMembers else {
        throw refusal("it has more than \(Self.mostMembers) members.")
      }
      // There may be several filters.
      guard member.name == "filter" || seen.insert(member.name).inserted else {
        throw refusal("`\(member.name)` stands twice.")
      }
      switch member.name {
      case "view": lens.view = try LensRequest.viewName(member.value, field: "after")
      case "rows": lens.window = try LensRequest.Window(parameter: member.value, field: "after")
      case "q", "filter", "sort", "find": search.append(member)
      default:
        throw refusal(
          "there is no member `\(String(member.name.unicodeScalars.prefix(40)))`. Known are `view`, `rows`, `q`, `filter`, `sort` and `find`."
        )
      }
    }
    lens.find = try FindParameters(search).search()
    return lens
  }

  /// More than a lens has.
  private static let mostMembers = 64

  private static func member(_ text: Substring) throws(ServiceError) -> (name: String, value: String) {
    let pair = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard pair.count == 2, let name = PercentCoding.decodeText(Substring(pair[0])), !name.isEmpty,
      let value = PercentCoding.decodeText(Substring(pair[1]))
    else {
      throw .malformed(
        "`\(String(text.unicodeScalars.prefix(80)))` is no member of a lens: `NAME=VALUE` is, percent-encoded, such as `view=me`.",
        field: "after"
      )
    }
    return (name, value)
  }

  private func refusal(_ detail: String) -> ServiceError {
    .malformed("`\(String(text.unicodeScalars.prefix(80)))`: \(detail)", field: "after")
  }
}
