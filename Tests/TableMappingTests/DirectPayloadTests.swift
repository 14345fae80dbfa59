import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Rows whose payloads are written straight from their items are those that are made of values.
@Suite struct DirectPayloadTests {
  /// One cell of all types, which shows members as they are and in texts.
  private static func mapper(
    _ fields: [CellDefinition.Field],
    _ payload: [(String, JSONValue)],
    rowType: String?,
    leads: Bool
  ) throws -> TableMapper {
    try Fixture {
      $0.cells = [CellDefinition(identifier: "All", fields: fields, expands: "flag")]
      $0.table.cell = CellMapping(
        cell: "All",
        payload: template(.object(payload.map { JSONValue.Member(name: $0.0, value: $0.1) })),
        select: leads ? template(["to": "${id}"]) : nil
      )
      $0.table.rowType = rowType.map { template(.string($0)) }
    }.mapper()
  }

  private static let types: [FieldType] = [
    .string, .number, .integer, .boolean, .url, .date, .object, .any, .list(.string), .oneOf(["a", "7"]),
  ]

  /// As JSON; some fit one of the types, and some none.
  private static let values = [
    "null", "true", "false", "0", "7", "-3", "-0", "7.0", "2.5", "1e300", "18446744073709551615",
    "-9223372036854775808", #""""#, "\"\(String(repeating: "long ", count: 30))\"",
    "\"\(String(repeating: #"größer \"x\""#, count: 200))\"", #""a""#, #""7""#, #""größe \"q\" \\ \n\u0001\u00e9""#,
    #""/x?y=%20""#, #""https://a.example/ä""#,
    #""no url""#,
    #""2026-11-21T04:00:00Z""#, "[]", #"["a","b"]"#, "[1]", "{}", #"{"b":{"c":"deep \t"}}"#,
  ]

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func equalsValues(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    func value(_ type: FieldType, fitsUnless one: Int) -> String {
      // Rows are to come about, and most of them straight: what does not fit anywhere costs all of an item's row.
      let fitting = Self.values.filter { text in
        (try? JSONValue(parsing: text)).map { type.admits(Value($0)) } ?? false
      }
      return (chance(one) ? Self.values : fitting).randomElement(using: &random) ?? "null"
    }
    let names = ["a", "b", "c", "d", "e", "flag"]
    var fields: [CellDefinition.Field] = []
    var (direct, made): ([(String, JSONValue)], [(String, JSONValue)]) = ([], [])
    for name in names.shuffled(using: &random) {
      var type = name == "flag" ? .boolean : Self.types.randomElement(using: &random) ?? .any
      var isOptional = chance(2)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: if !chance(12) { isOptional = true }
      case 1:
        let constant = try JSONValue(parsing: value(type, fitsUnless: 12))
        if constant == .null, !chance(12) { isOptional = true }
        direct.append((name, constant))
        made.append((name, constant))
      case 2,
        3 where name != "flag" || chance(12):
        if name != "flag", !chance(12) { type = chance(2) ? .string : .any }
        direct.append((name, .string("<\"\(name)\" ${n} ${\(name)}\n$item: ${$item.b.c}>")))
        made.append((name, .string("<\"\(name)\" ${n ?? null} ${\(name) ?? null}\n$item: ${$item.b.c ?? null}>")))
      default:
        let path = chance(6) ? "b.c" : name
        if path != name { isOptional = true }
        direct.append((name, .string("${\(path)}")))
        made.append((name, .string("${\(path) ?? null}")))
      }
      fields.append(.init(name: name, type: type, isOptional: isOptional))
    }
    let (rowType, leads): (String?, Bool) = (chance(2) ? nil : "${none}", chance(2))
    let items = (0..<60).map { number -> [UInt8] in
      var members = [chance(20) ? #""id":"row \#(number)""# : #""id":\#(number)"#]
      for name in names + ["n"] where !chance(12) {
        let field = fields.first { $0.name == name }
        let text = value(field?.type ?? .any, fitsUnless: 20)
        members.append("\"\(name)\":\(text)")
      }
      return Array("{\(members.shuffled(using: &random).joined(separator: ","))}".utf8)
    }
    let content = ["s": RandomTable.page(items)]
    let mapper = try Self.mapper(fields, direct, rowType: rowType, leads: leads)
    let one = mapper.map(content)
    let other = try Self.mapper(fields, made, rowType: rowType, leads: leads).map(content)
    // One by one, items are parsed as a whole.
    let whole = mapper.map(["s": .items(items.map { SourceItem(bytes: $0) })])
    #expect(Self.rows(one) == Self.rows(whole), "seed \(seed)")
    #expect(Self.rows(one) == Self.rows(other), "seed \(seed)")
    #expect(one.skipped == other.skipped && one.skippedItems == other.skippedItems, "seed \(seed)")
    #expect(one.warnings == other.warnings && one.byteCount == other.byteCount, "seed \(seed)")
  }

  /// Of members with one name the first is read; what is passed on whole has them all.
  @Test(arguments: ["", " ?? null"]) func ofDoubledMembersTheFirstCounts(otherwise: String) throws {
    let fields: [CellDefinition.Field] = [
      .init(name: "title", type: .string), .init(name: "x", type: .integer), .init(name: "all", type: .object),
    ]
    let payload: [(String, JSONValue)] = [
      ("title", .string("${title\(otherwise)}")), ("x", .string("${more.x\(otherwise)}")),
      ("all", .string("${$item\(otherwise)}")),
    ]
    let item = #"{"id":1,"title":"a","title":"b","more":{"x":1,"x":2},"more":{"x":3}}"#
    let mapper = try Fixture {
      $0.cells = [CellDefinition(identifier: "All", fields: fields)]
      $0.table.cell = CellMapping(
        cell: "All",
        payload: template(.object(payload.map { JSONValue.Member(name: $0.0, value: $0.1) }))
      )
    }.mapper()
    for content in [.pages([Array("[\(item)]".utf8)]), .items([SourceItem(bytes: Array(item.utf8))])] as [SourceContent]
    {
      let row = try #require(mapper.map(["s": content]).sections.first?.rows.first)
      let text = String(decoding: row.encoded, as: UTF8.self)
      #expect(text.contains(#""payload":{"title":"a","x":1,"all":\#(item)}"#), "\(text)")
    }
  }

  private static func rows(_ result: MappingResult) -> [String] {
    result.sections.flatMap { section in
      section.rows.map { row in
        "\(row.id) \(String(decoding: row.encoded, as: UTF8.self)) \(row.cells.map(\.payload)) "
          + "\(row.select as Any) \(row.expansion as Any) \(row.permissions)"
      }
    }
  }
}
