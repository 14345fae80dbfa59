import Foundation
import JSON
import Testing

/// A family over the configuration's own items: to be read by parameters, at once.
@Suite struct LocalFamilyTests {
  @Test func membersReadTheItemsByTheirParameters() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        list:
          source: {local: {items: [{n: "1", title: B, kind: x}, {n: "2", title: A, kind: x}, {n: "3", title: C, kind: y}]}}
          row: {id: "${n}"}
          cell: Label
          payload: {title: "${title}"}
          parameters: {kind: {pattern: "[a-z]"}}
          sections: [{id: main, where: kind == $params.kind, sort: title}]
      """
    )
    #expect(try service.mirror("list;kind=x").rows == ["2", "1"])
    #expect(try service.mirror("list;kind=y").rows == ["3"])
    // A member keeps nothing, so it takes nothing.
    let reply = try service.request("PATCH", "/v1/tables/list;kind=x/items/1", body: ["title": "Z"])
    #expect(reply.status == 403, "\(reply.text)")
  }
}
