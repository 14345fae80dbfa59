import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TableStore

/// Additions of a batch behind the last rows of groups, since the last layout.
///
/// Such an addition need not be laid out before the next one: the item is the last of its group then, and if nothing
/// else has changed, it can be said of each group what its last item is. So a batch of them is one layout, and each is verified
/// behind it.
struct JoinedGroups {
  /// By the bytes of the groups' identities.
  private var groups: [[UInt8]: Group] = [:]
  /// How many additions there are.
  private(set) var count = 0
  /// The kinds of all groups' values, with those that additions make; nil where nobody has asked.
  var kinds: GroupKinds?

  struct Group {
    var last: ItemID
    /// How many items were added.
    var count = 0
    /// The value of the member by which they belong to it.
    let value: JSONValue
  }

  subscript(id: String) -> Group? { groups[Array(id.utf8)] }

  mutating func add(_ item: ItemID, _ target: EditSession.Target) {
    guard let id = target.section, let value = target.membership?.value else { return }
    count += 1
    let isNew = target.place == .end
    groups[Array(id.utf8), default: Group(last: item, value: value)].last = item
    groups[Array(id.utf8)]?.count += 1
    guard isNew else { return }
    switch value {
    case .null: break
    case .integer, .unsigned, .double: kinds?.numbers += 1
    case .bool: kinds?.booleans += 1
    default: kinds?.others += 1
    }
  }
}

extension EditSession {
  /// Returns the target of an addition behind all rows of a group, where it is known without a layout of the additions before
  /// it. Those must be the only edits since the last layout.
  func joining(_ place: EditPlace) throws(TableError) -> Target? {
    // Where a group is sorted or cut, its last row is not its last item.
    guard case .section(let id?, let index) = place, !isOfCallers, content.isMapped,
      case .groups(let groups) = content.definition.sections, groups.sort.isEmpty, groups.limit == nil,
      let path = groups.key.memberPath
    else { return nil }
    let rows = section(id)?.rows ?? []
    let known = joined[id]
    let count = rows.count + (known?.count ?? 0)
    guard index ?? count == count else { return nil }
    // What it will be of a new group depends on the others.
    if joined.kinds == nil, known == nil, rows.isEmpty { joined.kinds = content.result?.groupKinds }
    var target = Target(
      place: .end,
      membership: Membership(path: path, value: groupValue(id, path)),
      section: id,
      index: index
    )
    if let known {
      target.place = .after(known.last)
    } else if let last = rows.last {
      target.place = .after(try item(of: last.id))
    }
    return target
  }
}
