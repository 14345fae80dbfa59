import JSON
import TableDiff
import TableEncoding
import TableModel
import TablecastClient

@testable import struct TablecastClient.TableMirror
@testable import struct TablecastClient.TableReply

/// A table as a service has it: its versions are told apart by the service's own differ, and go to the client as the
/// bytes that the service writes.
struct ServiceTable {
  private var table = Table(name: "t", title: "T", state: .ready)
  private var mirror: TableMirror
  private var version = 1

  init() throws {
    let snapshot = #"{"table":"t","cursor":"00000000000a.1","state":"ready","title":"T","sections":[]}"#
    mirror = try TableMirror(TableContent(snapshot: JSONText(snapshot)))
  }

  /// The sections as the client has them.
  var sections: [TableSection] { mirror.content.sections }

  /// Goes on to other sections. Returns the stages that the client reads, applied to its mirror.
  mutating func show(_ sections: [TableSection]) throws -> [TableStage] {
    var next = table
    next.sections = sections.map(Self.section)
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("table")
    writer.write("t")
    writer.name("from")
    writer.write("00000000000a.\(version)")
    writer.name("to")
    writer.write("00000000000a.\(version + 1)")
    writer.name("stages")
    writer.write(stages: Changeset(from: table, to: next))
    writer.endObject()
    guard case .stages(let stages, _, let to)? = try TableReply.read(writer.bytes).first?.outcome else {
      throw MalformedReply("no stages")
    }
    try mirror.apply(stages, to: to)
    version += 1
    table = next
    return stages
  }

  private static func section(_ section: TableSection) -> TableModel.Section {
    TableModel.Section(
      id: section.id,
      header: section.header.map { TableModel.CellModel(cellIdentifier: "Header", encoded: Array($0.bytes)) },
      rows: section.rows.map { row in
        Row(
          id: row.id,
          encoded: Array(row.json.bytes),
          cells: CellChain(CellPart(cellIdentifier: row.cellIdentifier, payload: 0..<0)),
          permissions: [.edit, .move, .select]
        )
      }
    )
  }
}
