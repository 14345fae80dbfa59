import Definitions
import HTTPServer
import JSON
import TableEncoding
import TableEngine
import TableModel

/// Why a table is as it is. It shows the configuration's expressions and items that have no row: for those who may edit.
extension TableService {
  /// `GET …/skipped`: the items that got no row, with their reasons; and those that no section takes.
  func skipped(_ call: TableCall) -> Reply {
    let (exchange, name) = (call.exchange, call.table.name)
    call.table.skipped { skipped in
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("table")
      writer.write(name)
      writer.name("skippedItems")
      writer.write(skipped.count)
      writer.write(skipped.first, named: "items")
      writer.name("unplacedItems")
      writer.write(skipped.unplacedCount)
      writer.write(skipped.unplaced, named: "unplaced")
      writer.endObject()
      exchange.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
    }
    return .later
  }

  /// `GET …/rows/{row}/placement`: the section that a row stands in, and the rule that put it there.
  func placement(_ call: TableCall) throws(ServiceError) -> Reply {
    let (exchange, table, row) = (call.exchange, call.table, call["row"])
    let definition = call.state.catalog.definition.tables.first { $0.name == table.reference.name }
    table.read(try call.lens(), for: ReplyAsker(exchange.asker), at: { $0.indexPath(of: row) }) { shown in
      guard let shown, let definition, let rule = definition.rule(ofSection: shown.section)
      else { return exchange.finish(ServiceError.notFound("The table `\(table.name)` has no such row.").response) }
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("row")
      writer.write(row)
      writer.name("at")
      writer.write(shown.path)
      writer.name("section")
      writer.write(shown.section)
      writer.name("rule")
      writer.write(rule)
      writer.endObject()
      exchange.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
    }
    return .later
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ items: [SkippedItems.Item], named key: String) {
    name(key)
    beginArray()
    for item in items { write(item) }
    endArray()
  }

  private mutating func write(_ item: SkippedItems.Item) {
    beginObject()
    name("source")
    write(item.source)
    name("index")
    write(item.index)
    for (key, text) in [("id", item.id), ("type", item.type), ("field", item.field)] {
      guard let text else { continue }
      name(key)
      write(text)
    }
    name("reason")
    write(item.reason)
    endObject()
  }

  fileprivate mutating func write(_ rule: SectionRule) {
    beginObject()
    name("kind")
    write(rule.kind.rawValue)
    name("expression")
    if let expression = rule.expression { write(expression) } else { writeNull() }
    name("passed")
    beginArray()
    for passed in rule.passed {
      beginObject()
      name("section")
      write(passed.section)
      name("expression")
      write(passed.predicate)
      endObject()
    }
    endArray()
    endObject()
  }
}
