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
    rowType: String?
  ) throws -> TableMapper {
    try Fixture {
      $0.cells = [CellDefinition(identifier: "All", fields: fields, expands: "flag")]
      $0.table.cell = CellMapping(
        cell: "All",
        payload: template(.object(payload.map { JSONValue.Member(name: $0.0, value: $0.1) })),
        select: template(["to": "${id}"])
      )
      $0.table.rowType = rowType.map { template(.string($0)) }
    }.mapper()
  }

  private static let types: [FieldType] = [
    .string, .number, .integer, .boolean, .url, .date, .object, .any, .list(.string), .oneOf(["a", "7"]),
  ]

  /// As JSON; some fit one of the types, and some none.
  private static let values = [
    "null", "true", "false", "0", "7", "-3", "7.0", "2.5", "1e300", "18446744073709551615", "-9223372036854775808",
    #""""#, #""a""#, #""7""#, #""größe \"q\" \\ \n\u0001\u00e9""#, #""/x?y=%20""#, #""https://a.example/ä""#,
    #""no url""#,
    #""2026-11-21T04:00:00Z""#, "[]", #"["a","b"]"#, "[1]", "{}", #"{"b":{"c":"deep \t"}}"#,
  ]

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func equalsValues(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    let names = ["a", "b", "c", "d", "e", "flag"]
    var fields: [CellDefinition.Field] = []
    var (direct, made): ([(String, JSONValue)], [(String, JSONValue)]) = ([], [])
    for name in names.shuffled(using: &random) {
      let type = name == "flag" ? .boolean : Self.types.randomElement(using: &random) ?? .any
      fields.append(.init(name: name, type: type, isOptional: chance(2)))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: break
      case 1:
        let constant = try JSONValue(parsing: Self.values.randomElement(using: &random) ?? "1")
        direct.append((name, constant))
        made.append((name, constant))
      case 2, 3:
        direct.append((name, .string("<\"\(name)\" ${n} ${\(name)}\n$item: ${$item.b.c}>")))
        made.append((name, .string("<\"\(name)\" ${n ?? null} ${\(name) ?? null}\n$item: ${$item.b.c ?? null}>")))
      default:
        let path = chance(6) ? "b.c" : name
        direct.append((name, .string("${\(path)}")))
        made.append((name, .string("${\(path) ?? null}")))
      }
    }
    let rowType: String? = chance(2) ? nil : "${none}"
    let items = (0..<60).map { number -> [UInt8] in
      var members = [chance(20) ? #""id":"row \#(number)""# : #""id":\#(number)"#]
      for name in names + ["n"] where !chance(12) {
        // Rows are to come about: most values fit.
        let type = fields.first { $0.name == name }?.type ?? .any
        let fitting = Self.values.filter { text in
          (try? JSONValue(parsing: text)).map { type.admits(Value($0)) } ?? false
        }
        let value = (chance(5) ? Self.values : fitting).randomElement(using: &random) ?? "null"
        members.append("\"\(name)\":\(value)")
      }
      return Array("{\(members.shuffled(using: &random).joined(separator: ","))}".utf8)
    }
    let content = ["s": RandomTable.page(items)]
    let one = try Self.mapper(fields, direct, rowType: rowType).map(content)
    let other = try Self.mapper(fields, made, rowType: rowType).map(content)
    #expect(Self.rows(one) == Self.rows(other), "seed \(seed)")
    #expect(one.skipped == other.skipped && one.skippedItems == other.skippedItems, "seed \(seed)")
    #expect(one.warnings == other.warnings && one.byteCount == other.byteCount, "seed \(seed)")
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
