import Definitions
import HTTPServer
import JSON
import TableEngine

/// The record of edits.
struct AuditList: Resource {
  let service: TableService

  private static let shownEntries = 100

  /// `GET /v1/audit`: the newest edits that are recorded, newest first, for admins, of the tables that they administer.
  func audit(_ call: Call) throws(ServiceError) -> Reply {
    guard let audit = call.state.audit else {
      throw .notFound("Edits are not recorded: `audit: {path: data/audit.log}` in the configuration does that.")
    }
    var count = Self.shownEntries
    if let text = call.request.query.first("rows") {
      guard let number = Int(text), (1...RecentEntries.maximumCount).contains(number) else {
        throw .malformed("`rows` is a number from 1 to \(RecentEntries.maximumCount).", field: "rows")
      }
      count = number
    }
    var writer = JSONWriter(capacity: 4096)
    writer.beginObject()
    writer.name("entries")
    writer.beginArray()
    for entry in entries(of: audit, call, count) { writer.write(raw: entry) }
    writer.endArray()
    writer.endObject()
    return .response(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
  }

  private func entries(of audit: AuditLog, _ call: Call, _ count: Int) -> [[UInt8]] {
    let authorizer = call.state.authorizer
    guard authorizer.refusalBeyondTables(of: call.request) != nil else { return audit.newest(count) }
    var entries: [[UInt8]] = []
    for entry in audit.newest(RecentEntries.maximumCount) where entries.count < count {
      guard case .string(let table)? = (try? JSONValue(parsing: entry))?["table"] else { continue }
      // The table's name; behind it are its parameters.
      let name = String(Substring(table.utf8.prefix { $0 != UInt8(ascii: ";") }))
      if authorizer.allows(call.request, .admin, table: name) { entries.append(entry) }
    }
    return entries
  }
}
