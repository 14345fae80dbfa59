import HTTPServer
import JSON
import TableEngine
import TableStore

/// The upstreams, as they do.
struct SourceList: Resource {
  let service: TableService

  /// `GET /v1/sources`: how the upstreams do, in their own words: for admins of all tables, as a source may be any's.
  func sources(_ call: Call) throws(ServiceError) -> Reply {
    if let refusal = call.state.authorizer.refusalBeyondTables(of: call.request) { throw refusal }
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("sources")
    writer.beginArray()
    for source in call.state.catalog.sourceStatuses { writer.write(source) }
    writer.endArray()
    writer.endObject()
    return .response(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
  }

  /// `POST /v1/sources/{source}/refresh`: answers when what the source said is shown.
  func refreshSource(_ call: Call) throws(ServiceError) -> Reply {
    if let refusal = call.state.authorizer.refusalBeyondTables(of: call.request) { throw refusal }
    let exchange = call.exchange
    try asked { () throws(TableError) in
      try service.engine.refresh(source: call.match["source"]) { outcome in
        switch outcome {
        case .success(let status):
          var writer = JSONWriter()
          writer.write(status)
          exchange.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
        case .failure(let error): exchange.finish(ServiceError(error).response)
        }
      }
    }
    return .later
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ source: SourceStatus) {
    beginObject()
    name("id")
    write(source.id)
    name("state")
    write(source.state.rawValue)
    name("every")
    write(source.every.text)
    name("next")
    if let next = source.next { write(next) } else { writeNull() }
    name("last")
    beginArray()
    for answer in source.last {
      beginObject()
      name("at")
      write(answer.time)
      name("status")
      if let status = answer.status { write(status) } else { writeNull() }
      name("ms")
      write(answer.elapsed.milliseconds)
      name("bytes")
      write(answer.bytes)
      name("notModified")
      write(answer.status == 304)
      name("retries")
      write(answer.retries)
      name("pages")
      write(answer.pages)
      endObject()
    }
    endArray()
    name("breaker")
    write(source.breaker.rawValue)
    if source.isTruncated {
      name("truncated")
      write(true)
    }
    if let missed = source.missed {
      name("missed")
      beginObject()
      name("items")
      write(missed.items)
      name("total")
      write(missed.total)
      endObject()
    }
    if source.askers > 1 {
      name("members")
      write(source.askers)
    }
    if let problem = source.problem {
      name("problem")
      beginObject()
      name("title")
      write(problem.title)
      name("detail")
      write(problem.detail)
      endObject()
    }
    endObject()
  }
}

extension Duration {
  /// As in the configuration: `30s`, `500ms`.
  fileprivate var text: String { milliseconds % 1000 == 0 ? "\(components.seconds)s" : "\(milliseconds)ms" }
}
