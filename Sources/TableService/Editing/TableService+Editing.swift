import Digests
import FieldValues
import HTTPServer
import JSON
import TableEngine
import TableModel
import TableStore

extension TableService {
  func add(_ call: TableCall) throws(ServiceError) -> Reply {
    let item = try call.request.json(orEmpty: true)
    guard case .object = item else { throw .malformed("The body is the item: a JSON object.") }
    return try edit(call, [.insert(item: item, try EditPlace(call.request.query))], .created)
  }

  /// Adds an item under the identity that the path names, or puts it in the place of the one that has it.
  func put(_ call: TableCall) throws(ServiceError) -> Reply {
    let item = try call.request.json(orEmpty: false)
    guard case .object = item else { throw .malformed("The body is the item: a JSON object.") }
    let (place, condition) = (try EditPlace(call.request.query), try call.request.putCondition())
    return try edit(call, [.put(row: call["row"], item: item, place, condition)], .put)
  }

  func patch(_ call: TableCall) throws(ServiceError) -> Reply {
    let patch = try call.request.json(orEmpty: false, types: ["application/merge-patch+json", "application/json"])
    guard case .object = patch else {
      throw .unprocessable("The body is a merge patch (RFC 7396): a JSON object, as the item is one.")
    }
    return try edit(call, [.patch(row: call["row"], patch)], .one)
  }

  func delete(_ call: TableCall) throws(ServiceError) -> Reply { try edit(call, [.delete(row: call["row"])], .one) }

  func move(_ call: TableCall) throws(ServiceError) -> Reply {
    let body = try call.request.json(orEmpty: false)
    let place = try asked { () throws(TableError) in try EditPlace(body) }
    guard case .object = body, place != .end else {
      throw .malformed("The body is `{\"section\": …, \"at\": …}`, `{\"after\": …}` or `{\"before\": …}`.")
    }
    return try edit(call, [.move(row: call["row"], place)], .one)
  }

  /// One of the row's own actions. What is sent with it, any JSON, is for whoever carries it out.
  func act(_ call: TableCall) throws(ServiceError) -> Reply {
    let body = call.request.body.isEmpty ? .null : try call.request.json(orEmpty: false)
    return try edit(call, [.action(row: call["row"], id: call["action"], body: body)], .one)
  }

  func batch(_ call: TableCall) throws(ServiceError) -> Reply {
    let body = try call.request.json(orEmpty: false, isBatch: true)
    let condition = try call.request.putCondition()
    return try edit(call, try asked { () throws(TableError) in try Edit.batch(body, condition) }, .batch)
  }

  /// Carries edits out: all or nothing, one version.
  private func edit(_ call: TableCall, _ edits: [Edit], _ form: EditResponse) throws(ServiceError) -> Reply {
    let request = EditRequest(
      edits,
      isBatch: form == .batch,
      preconditions: try call.request.editTerms(),
      caller: call.caller,
      lens: try call.lens(),
      authority: call.authority
    )
    let (exchange, path, record) = (call.exchange, call.table.path, call.record)
    let line = EditLine(call, edits, logger)
    call.table.edit(request) { outcome in
      let response: Response
      let rows: [String?]
      switch outcome {
      case .success(let answer): (response, rows) = (form.response(answer, path: path), answer.rows)
      case .failure(let error): (response, rows) = (form.refusal(error).response, [])
      }
      line.log(outcome, response.status)
      record(edits, rows, response) { exchange.finish(response) }
    }
    return .later
  }

  // MARK: Taps, refreshes, hooks

  func tap(_ call: TableCall) throws(ServiceError) -> Reply {
    let record = call.record
    call.table.tap(call["row"], try call.lens(), try call.request.editTerms(), call.caller) { [self] outcome in
      let response =
        switch outcome {
        case .success(let answer): answer.response
        case .failure(let error): ServiceError(error).response
        }
      // It has rows.
      record([], [], response) { [self] in call.finish(response, under: state) }
    }
    return .later
  }

  func refresh(_ call: TableCall) throws(ServiceError) -> Reply {
    let (exchange, lens) = (call.exchange, try call.lens())
    engine.refresh(call.table) { outcome in
      let table: LiveTable
      switch outcome {
      case .success(let shown): table = shown
      case .failure(let error): return exchange.finish(ServiceError(error).response)
      }
      if let refusal = table.refusal { return exchange.finish(ServiceError(refusal).response) }
      let current = table.current
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("cursor")
      writer.write(table.cursor(of: current, lens).description)
      writer.name("state")
      writer.write(current.table.state.rawValue)
      writer.endObject()
      exchange.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
    }
    return .later
  }

  /// A webhook: proves itself by its signature, and fetches the source now.
  func hook(_ call: Call) throws(ServiceError) -> Reply {
    let request = call.request
    try asked { () throws(TableError) in
      try engine.hook(call.match["source"], body: request.body) { request.header($0) }
    }
    return .response(Response(status: .accepted, headers: .jsonNotStored, body: Array("{}".utf8)))
  }
}

/// How an edit is answered.
enum EditResponse {
  /// 200 `{"cursor","id"}`
  case one
  /// 201, with `Location`
  case created
  /// As `created`, or as `one` where there was such a row
  case put
  /// 200 `{"cursor","ids"}`
  case batch

  /// A row that can't be put can be read, changed and removed all the same.
  func refusal(_ error: TableError) -> ServiceError {
    var refusal = ServiceError(error)
    if refusal.status == .methodNotAllowed {
      let others: AllowedMethods = [.get, .patch, .delete]
      refusal.headers.append(HeaderField(.allow, others.allow))
    }
    return refusal
  }

  func response(_ answer: EditAnswer, path: String) -> Response {
    let isNew = self == .created || self == .put && !answer.hasReplaced
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("cursor")
    writer.write(answer.cursor.description)
    let row = answer.rows.first ?? nil
    switch self {
    case .one, .created, .put:
      // Where the upstream did not name the new item, nobody knows its row.
      if let row {
        writer.name("id")
        writer.write(row)
      }
    case .batch:
      writer.name("ids")
      writer.beginArray()
      for row in answer.rows { if let row { writer.write(row) } else { writer.writeNull() } }
      writer.endArray()
    }
    if let reason = answer.unfit {
      writer.name("unfit")
      writer.write(reason)
    }
    writer.endObject()
    return Response(
      status: isNew ? .created : .ok,
      headers: .jsonNotStored,
      additional: isNew
        ? row.map { [HeaderField(.location, "\(path)/items/\(PercentCoding.encode($0))")] } ?? [] : [],
      body: writer.bytes
    )
  }
}

extension TapAnswer {
  fileprivate var response: Response {
    var writer = JSONWriter(capacity: row.count * 2)
    writer.beginObject()
    writer.name("cursor")
    writer.write(cursor.description)
    writer.name("id")
    writer.write(id)
    writer.name("row")
    writer.write(raw: row)
    writer.name("object")
    if let object { writer.write(raw: object) } else { writer.writeNull() }
    writer.name("select")
    if let select { writer.write(raw: select) } else { writer.writeNull() }
    writer.endObject()
    return Response(status: .ok, headers: .jsonNotStored, body: writer.bytes)
  }
}
