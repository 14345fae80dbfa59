import SwiftUI
import TablecastClient
import TablecastUI

/// A list of tasks that works without a connection: what was done is kept, shown, and sent when there is one.
@main
struct TasksApp: App {
  @Environment(\.scenePhase) private var phase
  private let client: TablecastClient<Cell>

  init() {
    guard let server = URL(string: "http://127.0.0.1:8080") else { preconditionFailure("a constant") }
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    var options = ClientOptions()
    options.store = DirectoryStore(folder.appendingPathComponent("tables"))
    options.editStore = DirectoryEditStore(folder.appendingPathComponent("edits"))
    client = TablecastClient(url: server, cells: Cell.self, options: options)
  }

  var body: some Scene {
    WindowGroup {
      NavigationStack { TaskList(TaskStore(client.table(Tables.Tasks(), rows: 50))) }
    }
    .onChange(of: phase) { _, phase in
      if phase == .active {
        client.resume("background")
        client.wake()
      } else if phase == .background {
        client.pause("background")
        client.flush()
      }
    }
  }
}
