import Foundation
import JSON
import TestSupport
import Testing

/// `render --item` shows what the service would show of the item.
@Suite struct RenderItemTests {
  private static let configuration = """
    cells: {Label: {fields: {title: string}}}
    sources: {s: {url: "http://127.0.0.1:1/"}}
    tables:
      t: {source: s, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
      own: {source: {local: {}}, cell: Label, payload: {title: "${title}"}}
    """

  private static func folder(_ item: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(configuration)
    try Data(item.utf8).write(to: folder.url.appending(path: "item.json"))
    try Data("[\(item)]".utf8).write(to: folder.url.appending(path: "response.json"))
    return folder
  }

  private static func render(_ table: String, _ arguments: String..., in folder: TemporaryFolder) throws -> Command {
    try Command(["render", "--config", "tablecast.yaml", "--table", table, "--json"] + arguments, in: folder)
  }

  /// An item of an upstream has only the identity that `row.id` makes.
  @Test(
    arguments: [
      (#"{"id":7,"title":"a"}"#, nil), (#"{"title":"a"}"#, "`row.id` is null"), ("5", "`row.id` is null"),
      (#"{"id":7}"#, "the field “title” of Label"),
    ] as [(String, String?)]
  )
  func anItemIsDrawnAsInAResponse(_ item: String, _ reason: String?) throws {
    let folder = try Self.folder(item)
    let alone = try Self.render("t", "--item", "item.json", in: folder)
    let listed = try Self.render("t", "--response", "response.json", in: folder)
    #expect(alone.status == listed.status, "\(alone.errors) \(listed.errors)")
    let (table, same) = (try JSONValue(parsing: alone.output), try JSONValue(parsing: listed.output))
    #expect(table["sections"] == same["sections"] && table["skipped"] == same["skipped"], "\(table) \(same)")
    let skipped = table["skipped"]?.elements.first?["reason"]?.text
    #expect(reason.map { skipped?.contains($0) == true } ?? (skipped == nil), "\(table)")
  }

  @Test func anItemOfTheServiceHasAnIdentity() throws {
    let drawn = try Self.render("own", "--item", "item.json", in: try Self.folder(#"{"title":"a"}"#))
    let rows = try JSONValue(parsing: drawn.output)["sections"]?.elements.first?["rows"]?.elements
    #expect(drawn.status == 0 && rows?.compactMap { $0["id"]?.text } == ["1"], "\(drawn.output) \(drawn.errors)")
    let refused = try Self.render("own", "--item", "item.json", in: try Self.folder("5"))
    #expect(refused.status == 1 && refused.errors.contains("item.json has no item of"), "\(refused.errors)")
  }
}
