import SwiftUI
import TablecastClient

@main
struct DeparturesApp: App {
  @Environment(\.scenePhase) private var phase
  private let client: TablecastClient<Cell>

  init() {
    var options = ClientOptions()
    options.store = DirectoryStore(URL.cachesDirectory.appending(path: "tables"))
    guard let server = URL(string: "http://127.0.0.1:8080") else { preconditionFailure("a constant") }
    client = TablecastClient(url: server, cells: Cell.self, options: options)
  }

  var body: some Scene {
    WindowGroup {
      TabView {
        Departures(table: client.table("departures", view: "main"))
          .tabItem { Label("Departures", systemImage: "airplane.departure") }
        ToDo(client.table("todo"))
          .tabItem { Label("To do", systemImage: "checklist") }
      }
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
