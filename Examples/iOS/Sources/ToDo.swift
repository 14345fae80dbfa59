import SwiftUI
import TablecastClient
import TablecastUI

/// The to-do list in SwiftUI.
struct ToDo: View {
  @State private var list: ObservedTable<Cell>

  init(_ table: LiveTable<Cell>) { _list = State(initialValue: ObservedTable(table)) }

  var body: some View {
    List(list.sections) { section in
      Section(section.id) {
        ForEach(section.rows) { row in ToDoRow(row: row) }
          .onDelete { for index in $0 { list.table.delete(section.rows[index].id) } }
      }
    }
    .overlay { if list.connection == .connecting { ProgressView() } }
    .refreshable { _ = await list.table.refresh().outcome() }
    .task { await list.follow() }
  }
}

private struct ToDoRow: View {
  let row: ObservedRow<Cell>

  var body: some View {
    if case .tableViewCellWithLabel(let label) = row.content.cell {
      Text(label.title).opacity(row.isPending ? 0.5 : 1)
    } else {
      Text("…")
    }
  }
}
