import Foundation
import JSON
import TablecastClient
import TestSupport
import Testing

/// The client by streams, over `URLSession`, before the real service.
@Suite struct ClientStreamTests {
  @Test func changesComeByTheStreamAndOutliveTheService() throws {
    let folder = try TemporaryFolder()
    let service = try ServiceProcess(todo, in: folder)
    var options = ClientOptions()
    options.usesStreams = true
    let url = try #require(URL(string: "http://127.0.0.1:\(service.port)"))
    let client = TablecastClient<AnyCell>(url: url, options: options)
    let shown = Monitor<[TableSnapshot]>([])
    let observation = client.table("todo").observe { change in shown.change { $0.append(change.snapshot) } }
    func expect(_ what: String, _ isSo: @escaping (TableSnapshot) -> Bool) throws {
      try shown.wait(for: what) { $0.last.map(isSo) == true ? true : nil }
    }
    try expect("the table") { $0.connection == .live && $0.rowCount > 0 }
    let before = try #require(shown.current.last).rowCount
    for number in 1...5 {
      let reply = try service.request("POST", "/v1/tables/todo/items", body: ["title": .string("n\(number)")])
      #expect(reply.status == 201)
      try expect("row \(number)") { $0.rowCount == before + number }
    }
    try service.end()
    try expect("that the service is gone") { $0.connection == .retrying }
    withExtendedLifetime(observation) {}
  }
}
