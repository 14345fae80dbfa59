import JSON
import TestSupport
import Testing

/// Clients that each can show other cells, and look at the same rows: each reply is made of the same changes, and is its own.
@Suite struct ManySetsTests {
  private static let kinds = 0..<5

  private static let configuration = """
    store: memory
    cells:
    \(kinds.map { """
      Plain\($0): {fields: {title: string}}
      Fold\($0): {fields: {title: string, isOpen: boolean}, expands: isOpen, fallback: Plain\($0)}
    """ }.joined(separator: "\n"))
    representations:
    \(kinds.map { "  k\($0): {cell: Fold\($0), payload: {title: \"${title}\", isOpen: false}}" }.joined(separator: "\n"))
    tables:
      long:
        source: {local: {items: [\((0..<60).map { "{title: T\($0), kind: k\($0 % 5)}" }.joined(separator: ", "))]}}
        row: {type: "${kind}"}
        can: {edit: true}
    """

  @Test func eachIsLedOnAsItDrawsRows() throws {
    let service = try ServiceProcess(Self.configuration)
    let names = Self.kinds.map { "Plain\($0)" }.joined(separator: ", ")
    let sets = (0..<32).map { set in
      ["Accept-Cells": names + Self.kinds.filter { set >> $0 & 1 == 1 }.map { ", Fold\($0)" }.joined()]
    }
    var mirrors = try sets.map { try service.mirror("long", $0, query: "?rows=20") }
    // Inside the window, at its end, and beyond it: then there is nothing to be shown.
    let edits: [(rows: [Int], isSeen: Bool)] = [([1, 8], true), ([20, 40], true), ([33], false), ([3], true)]
    for (number, edit) in edits.enumerated() {
      for row in edit.rows {
        let body: JSONValue = ["title": .string("N\(number)-\(row)")]
        #expect(try service.request("PATCH", "/v1/tables/long/items/\(row)", body: body).status == 200)
      }
      for (index, headers) in sets.enumerated() {
        let reply = try service.changes("long", after: mirrors[index].cursor, headers)
        #expect(reply["stages"]?.elements.isEmpty == !edit.isSeen && reply["reset"] == nil, "set \(index)")
        try mirrors[index].apply(reply)
        try mirrors[index].check(equals: service.request("GET", "/v1/tables/long?rows=20", headers).json)
      }
    }
  }
}
