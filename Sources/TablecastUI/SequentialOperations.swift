/// What turns one list into another one operation after the other, each index as the list is then: as `NSTableView`
/// counts, in contrast to UIKit.
enum SequentialOperation: Hashable {
  case remove(Int)
  case insert(Int)
  case move(from: Int, to: Int)

  /// O(n + changes · n).
  /// - Parameter fresh: what enters anew though it was there before: its cell is another one, not a moved one.
  static func between<ID: Hashable>(_ old: [ID], _ new: [ID], fresh: Set<ID> = []) -> [SequentialOperation] {
    var operations: [SequentialOperation] = []
    let kept = Set(new).subtracting(fresh)
    var list = old
    for index in list.indices.reversed() where !kept.contains(list[index]) {
      operations.append(.remove(index))
      list.remove(at: index)
    }
    let known = Set(list)
    for (index, id) in new.enumerated() where index >= list.count || list[index] != id {
      guard known.contains(id), let from = list[index...].firstIndex(of: id) else {
        operations.append(.insert(index))
        list.insert(id, at: index)
        continue
      }
      operations.append(.move(from: from, to: index))
      list.insert(list.remove(at: from), at: index)
    }
    return operations
  }
}
