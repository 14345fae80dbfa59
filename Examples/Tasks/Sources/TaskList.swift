import SwiftUI
import TablecastClient
import TablecastUI

struct TaskList: View {
  @State private var store: TaskStore
  @State private var list: ObservedTable<Cell>
  @State private var title = ""

  init(_ store: TaskStore) {
    _store = State(initialValue: store)
    _list = State(initialValue: store.list)
  }

  var body: some View {
    List {
      TaskStatus(store: store, list: list)
      ForEach(list.sections) { section in
        Section {
          ForEach(section.rows) { row in
            TaskRow(row: row, store: store)
              .onAppear { list.appeared(row) }
              .swipeActions { Button("Delete", role: .destructive) { store.delete(row, from: section.id) } }
          }
          .onMove { origins, destination in
            if let origin = origins.first { store.move(from: origin, to: destination, in: section) }
          }
        } header: {
          if case .sectionTitle(let header) = section.header?.cell { Text(header.title) }
        }
      }
      TextField("New task", text: $title)
        .onSubmit {
          store.add(title)
          title = ""
        }
    }
    .searchable(text: $list.search.q, prompt: list.find?.prompt ?? "Search")
    .toolbar {
      FindMenu(list: list)
      Button("Undo", systemImage: "arrow.uturn.backward") { store.undo() }.disabled(!store.canUndo)
      Button("Delete the done tasks shown here", systemImage: "trash") { store.deleteDone() }
    }
    .overlay { if list.state == .empty || list.sections.isEmpty && !list.isSearching { Text("Nothing here") } }
    .refreshable { _ = await list.table.refresh().outcome() }
    .task { await list.follow() }
    .navigationTitle(list.title)
  }
}

private struct TaskRow: View {
  let row: ObservedRow<Cell>
  let store: TaskStore

  var body: some View {
    if case .taskCell(let task) = row.content.cell {
      Button(action: { store.toggle(row) }) {
        HStack {
          Image(systemName: task.isDone ? "checkmark.circle.fill" : "circle")
          Text(task.title)
        }
      }
      .opacity(row.isPending ? 0.5 : 1)
    } else {
      Text("…")
    }
  }
}

/// That there is no connection, and edits that the service has not done, for the person to decide.
private struct TaskStatus: View {
  let store: TaskStore
  let list: ObservedTable<Cell>

  var body: some View {
    if list.connection == .retrying || list.connection == .cached { Text("No connection: what you do is kept") }
    if let failure = store.failure { Text(failure).foregroundStyle(.red) }
    ForEach(list.edits.filter(\.state.isOver)) { edit in
      HStack {
        Text(edit.problem?.title ?? "Nobody knows whether this was done")
        Button("Try again") { store.retry(edit) }
        Button("Discard", role: .destructive) { store.discard(edit) }
      }
    }
  }
}

private struct FindMenu: View {
  @State private var list: ObservedTable<Cell>

  init(list: ObservedTable<Cell>) { _list = State(initialValue: list) }

  var body: some View {
    Menu("Filter and sort", systemImage: "line.3.horizontal.decrease.circle") {
      ForEach(list.find?.filters ?? []) { filter in
        ForEach(filter.values) { value in
          Button("\(list.search.isSelected(value.value, of: filter.id) ? "✓ " : "")\(value.title) (\(value.count))") {
            list.search.toggle(value.value, of: filter.id)
          }
        }
      }
      Picker("Sort", selection: $list.search.sort) {
        Text("Default order").tag(String?.none)
        ForEach(list.find?.sorts ?? []) { Text($0.title).tag(String?.some($0.id)) }
      }
    }
  }
}
