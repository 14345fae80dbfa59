import Dispatch
import JSON
import Synchronization
import TableModel
import TableStore

/// Editors of one table, each of whom makes the next edit when the last one is acknowledged.
///
/// `@unchecked Sendable`: everything that changes is touched on `queue` alone.
final class Editors: @unchecked Sendable {
  private let store: any Store
  private let versions: TableVersions
  private let queue = DispatchQueue(label: "table")
  private var items: LocalItems
  private var rows: [Row]
  private var left: Int
  /// How many editors have an edit to make and wait for their turn.
  private let waiting = Atomic(0)
  private let done = DispatchGroup()

  static let itemCount = 100

  init(store: any Store, edits: Int) throws {
    self.store = store
    left = edits
    items = try LocalItems(seed: (0..<Self.itemCount).map { ["title": .string("Item \($0)"), "step": 0] })
    rows = items.map { Self.row($0) }
    versions = TableVersions(initial: Table(name: "todo", title: "To do", state: .loading))
  }

  /// Makes the edits with `count` editors; returns when the last is acknowledged.
  func run(count: Int) {
    for _ in 0..<count {
      waiting.add(1, ordering: .relaxed)
      queue.async(group: done) { self.edit() }
    }
    done.wait()
  }

  private func edit() {
    let isAlone = waiting.subtract(1, ordering: .relaxed).newValue == 0
    guard left > 0 else { return }
    left -= 1
    let index = left % items.count
    guard let item = try? items.patch(items[index].id, with: ["step": .integer(Int64(left))]) else { return }
    rows[index] = Self.row(item)
    let table = Table(name: "todo", title: "To do", state: .ready, sections: [Section(id: "main", rows: rows)])
    var commit = Commit(table: "todo", durability: .full, version: versions.prepare(table))
    commit.items = items.takeChanges()
    let version = commit.version
    done.enter()
    store.commit(commit, mayBlock: isAlone) { [self] result in
      if case .failure(let error) = result { preconditionFailure("\(error)") }
      waiting.add(1, ordering: .relaxed)
      queue.async { [self] in
        if let version { versions.publish(version) }
        edit()
        done.leave()
      }
    }
  }

  static func row(_ item: Item) -> Row {
    let body = String(decoding: item.body, as: UTF8.self)
    let encoded = Array(
      #"{"id":"\#(item.id)","cellIdentifier":"C","payload":\#(body),"can":{"edit":true,"move":true,"select":true}}"#
        .utf8
    )
    return Row(
      id: item.id.description,
      encoded: encoded,
      cells: CellChain(CellPart(cellIdentifier: "C", payload: 0..<2)),
      permissions: [.edit, .move, .select]
    )
  }
}
