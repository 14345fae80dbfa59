import Dispatch
import FieldValues
import Foundation
import JSON
import Synchronization
import TableModel

@testable import TableStore

/// So that tests name rows by literals.
extension ByteText: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { self.init(text) }
}

func row(_ id: String, _ title: String = "t", permissions: Permissions = .select) -> Row {
  let payload = Array(#"{"title":"\#(title)","open":true}"#.utf8)
  let head = Array(#"{"id":"\#(id)","cellIdentifier":"C","payload":"#.utf8)
  let end = head.count + payload.count
  return Row(
    id: id,
    encoded: head + payload + Array(#","can":{}}"#.utf8),
    cells: CellChain(CellPart(cellIdentifier: "C", payload: head.count..<end)),
    permissions: permissions,
    expansion: end - 5..<end - 1
  )
}

func table(_ sections: [(String, [Row])] = [], state: TableState = .ready, header: String? = nil) -> Table {
  Table(
    name: "t",
    title: "T",
    state: state,
    sections: sections.map { id, rows in
      Section(
        id: id,
        header: header.map { CellModel(cellIdentifier: "H", encoded: Array("{\"\($0)\":1}".utf8)) },
        rows: rows
      )
    }
  )
}

/// The tables are equal to the byte, in all that is stored.
func identical(_ first: Table, _ second: Table) -> Bool {
  Table.same(first, second)
    && zip(first.sections, second.sections).allSatisfy { zip($0.rows, $1.rows).allSatisfy(Row.identical) }
}

extension Checkpoints {
  /// Waits until none is under way.
  func close() {
    let done = DispatchSemaphore(value: 0)
    close { done.signal() }
    done.wait()
  }
}

/// Waits for a completion.
func result<Value: Sendable>(
  _ start: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
) throws -> Value {
  let box = Mutex<Result<Value, StoreError>?>(nil)
  let done = DispatchSemaphore(value: 0)
  start { result in
    box.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  guard let result = box.withLock({ $0 }) else { throw StoreError.closed }
  return try result.get()
}

extension Store {
  func restored(_ table: String = "t") throws -> StoredTable { try result { restore(table, completion: $0) } }
  func written(_ commit: Commit) throws { try result { self.commit(commit, completion: $0) } }
  func changes(since revision: Revision) throws -> CatchUp {
    try result { changes(of: "t", since: revision, completion: $0) }
  }
  func closed() throws { try result { close(completion: $0) } }

  /// Commits what a versions prepares for a table.
  func write(_ table: Table, to versions: TableVersions, _ durability: Commit.Durability = .full) throws {
    guard let version = versions.prepare(table) else { return }
    try written(Commit(table: table.name, durability: durability, version: version))
    versions.publish(version)
  }
}

/// A folder of its own, gone with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/data/test.sqlite" }
}
