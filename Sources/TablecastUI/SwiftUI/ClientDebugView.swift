#if canImport(SwiftUI) && canImport(Observation)
public import SwiftUI
public import TablecastClient

/// A list of a client's events, newest first: requests, answers, states, edits and failures. For an app's debug menu.
///
///     ClientDebugView(client)
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
public struct ClientDebugView<Cell: CellModel>: View {
  private let client: TablecastClient<Cell>
  @State private var lines: [DebugLine] = []
  @State private var isErrorsOnly = false
  private static var most: Int { 500 }

  public init(_ client: TablecastClient<Cell>) { self.client = client }

  public var body: some View {
    List {
      Section("Last error") {
        Text(client.lastError?.description ?? "None")
      }
      Section("Events") {
        ForEach(isErrorsOnly ? lines.filter(\.event.isError) : lines) { line in
          Text(line.event.description).font(.caption).foregroundStyle(line.event.isError ? .red : .primary)
        }
      }
    }
    .toolbar {
      Button(isErrorsOnly ? "All" : "Errors") { isErrorsOnly = !isErrorsOnly }
      Button("Clear") { lines = [] }
    }
    .navigationTitle("Tablecast")
    .task {
      for await event in client.events {
        lines.insert(DebugLine(id: (lines.first?.id ?? 0) + 1, event: event), at: 0)
        if lines.count > Self.most { lines.removeLast() }
      }
    }
  }
}

private struct DebugLine: Identifiable {
  let id: Int
  let event: ClientEvent
}
#endif
