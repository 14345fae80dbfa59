import Definitions
import HTTPServer
import JSON
import TableEngine
import TableModel
import TableStore

/// The members of a family.
struct MemberList: Resource {
  let service: TableService

  /// `GET /v1/families/{family}/members`: the tables that a family has at this moment, for admins: their parameters are
  /// what others have asked for. Those that depend on who asks are nobody else's to know.
  func members(_ call: Call) throws(ServiceError) -> Reply {
    let name = call.match["family"]
    try call.state.authorizer.authorize(call.request, .admin, table: name)
    guard let family = call.state.catalog.families.first(where: { $0.name == name }) else {
      throw .notFound("There is no family `\(name.prefix(80))`: /v1/tables lists those there are.")
    }
    guard !family.isPrivate else {
      throw ServiceError(status: .forbidden, detail: "The tables of `\(name)` depend on who asks: they are not listed.")
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("family")
    writer.write(name)
    writer.name("members")
    writer.beginArray()
    for (table, isPolled) in family.members { writer.write(member: table, isPolled: isPolled) }
    writer.endArray()
    writer.endObject()
    return .response(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
  }
}

extension JSONWriter {
  fileprivate mutating func write(member table: LiveTable, isPolled: Bool) {
    let current = table.current.table
    beginObject()
    name("id")
    write(table.name)
    name("parameters")
    beginObject()
    for parameter in table.reference.parameters {
      name(parameter.name)
      write(parameter.value)
    }
    endObject()
    name("state")
    write(current.state.rawValue)
    name("rows")
    write(current.counts.rows)
    name("polled")
    write(isPolled)
    if let fetched = table.lastFetch {
      name("fetched")
      write(fetched)
    }
    name("url")
    write(table.path)
    endObject()
  }
}
