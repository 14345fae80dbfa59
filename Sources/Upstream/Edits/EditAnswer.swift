internal import Definitions
internal import Expressions
internal import JSON

/// The meaning of an upstream's answer to an edit. Pure.
struct EditAnswer {
  let edit: ForwardedEdit
  let request: EditRequestDefinition
  let refused: Expression?
  let check: ResponseCheck

  /// The part of an answer that was read.
  private struct Reading {
    /// Why it was refused, by the expression that says so.
    var words: String?
    /// The reason as the upstream gives it.
    var told: String?
    var fields: [FieldReasons] = []
    var item: [UInt8]?
    var id: String?
  }

  /// - Parameters:
  ///   - edit: the edit that is answered: expressions of the answer may read it.
  ///   - source: where its list is under `data`, as GraphQL and JSON:API have it, `errors` says that an edit was
  ///     refused, unless the edit has an expression of its own.
  init(to edit: ForwardedEdit, as request: EditRequestDefinition, source: UpstreamDefinition, check: ResponseCheck) {
    (self.edit, self.request, self.check) = (edit, request, check)
    let isUnderData = source.items.map { items in
      items.documentPath?.first == .name("data") || Set(items.itemMembers) == ["data"]
    }
    refused = request.refused ?? (isUnderData == true ? try? Expression("errors") : nil)
  }

  /// - Parameter sent: the request, for messages.
  func outcome(_ response: TransferResponse, of sent: TransferRequest) -> EditOutcome {
    let reading: Reading
    do {
      reading = try read(response)
    } catch {
      // The upstream may have carried it out: what it says about that can't be read.
      return .unknown(
        UpstreamError(
          .unexpectedShape,
          title: "The upstream's answer to an edit is not as configured",
          detail: check.redaction.clean("\(error)"),
          status: response.status
        )
      )
    }
    let accepted = AcceptedEdit(status: response.status, item: reading.item, id: reading.id)
    if (200..<300).contains(response.status) {
      return reading.words.map { .refused(refusal($0, reading, response, sent)) } ?? .accepted(accepted)
    }
    guard var error = check.failure(of: response, request: sent, now: 0) else { return .accepted(accepted) }
    error.detail = words(reading.words ?? reading.told, response, sent)
    error.fields = fields(reading, response, sent)
    guard let words = reading.words, request.refused != nil else { return unread(error, response.status) }
    guard Self.sayMore.contains(response.status) else { return .refused(refusal(words, reading, response, sent)) }
    return .refused(error)
  }

  /// Returns the meaning of a status alone.
  private func unread(_ error: UpstreamError, _ status: Int) -> EditOutcome {
    // A gateway that has waited in vain does not know (RFC 9110 section 15.6.5).
    status == 504 ? .unknown(error) : status >= 500 ? .failed(error) : .refused(error)
  }

  /// Statuses that blame the caller or the time, and not the edit.
  private static let sayMore: Set = [401, 403, 412]

  private func refusal(
    _ words: String,
    _ reading: Reading,
    _ response: TransferResponse,
    _ sent: TransferRequest
  ) -> UpstreamError {
    var error = UpstreamError(
      .status,
      title: "The upstream refuses the edit",
      detail: self.words(words, response, sent),
      status: 422
    )
    error.fields = fields(reading, response, sent)
    return error
  }

  /// For a person: what the upstream said, without where it stands.
  private func words(_ told: String?, _ response: TransferResponse, _ sent: TransferRequest) -> String {
    told.map { cleaned($0, response, sent) } ?? "The upstream answered \(response.status), and not why"
  }

  private func cleaned(_ told: String, _ response: TransferResponse, _ sent: TransferRequest) -> String {
    var told = told
    for url in [sent.url, response.url] {
      told = told.replacing(url.description, with: "…").replacing("\(url.origin)", with: "…")
    }
    return check.redaction.clean(InternalURLs.hide(in: told))
  }

  private func fields(
    _ reading: Reading,
    _ response: TransferResponse,
    _ sent: TransferRequest
  ) -> [FieldReasons] {
    reading.fields.map { field in
      let reasons = field.reasons.map { cleaned($0, response, sent) }
      return FieldReasons(name: cleaned(field.name, response, sent), reasons: reasons)
    }
  }

  /// Why it was refused, and the item. A body that is no JSON has neither members nor an item.
  private func read(_ response: TransferResponse) throws -> Reading {
    let type = response.headers.first(named: "Content-Type")
    guard let document = try? Document(response.body), (try? document.withRoot { _ in }) != nil else {
      return Reading(
        words: try refusal(in: scope(.null, response))?.words,
        told: ReasonText.reason(in: response.body, type: type)
      )
    }
    return try document.withRoot { root in
      let scope = scope(Value(root), response)
      let isSuccess = (200..<300).contains(response.status)
      if let (words, fields) = try refusal(in: scope) {
        return Reading(words: words, fields: try self.reasons(in: scope)?.fields ?? fields)
      }
      guard isSuccess else {
        let said = RefusalReader(answer: root)
        let own = try reasons(in: scope)
        let words = own.flatMap { $0.fields.isEmpty ? nil : $0 } ?? said
        return Reading(
          told: words.summary(after: ReasonText.reason(in: root)),
          fields: own?.fields ?? said.fields
        )
      }
      let id = try request.id?.evaluate(in: scope).text
      return Reading(
        item: item(try request.item?.evaluate(in: scope) ?? Value(root)),
        id: id.flatMap { $0.isEmpty ? nil : $0 }
      )
    }
  }

  private func scope(_ root: Value, _ response: TransferResponse) -> Scope {
    var scope = edit.scope(in: check.context)
    (scope.item, scope.response) = (root, root)
    scope.status = response.status
    return scope
  }

  /// Returns the complaints at the configured place; nil where none is configured.
  private func reasons(in scope: Scope) throws -> RefusalReader? {
    guard let value = try request.fields?.evaluate(in: scope) else { return nil }
    return try Document(JSONValue(value).bytes).withRoot { RefusalReader(reasons: $0) }
  }

  private func refusal(in scope: Scope) throws -> (words: String, fields: [FieldReasons])? {
    guard let value = try refused?.evaluate(in: scope), !value.isNothing else { return nil }
    let json = JSONValue(value)
    if case .bool = json { return ("it refuses, without a reason", []) }
    if let text = value.text {
      // The words may be one of several reasons.
      let told = try Document(JSONValue(scope.response).bytes).withRoot { RefusalReader(answer: $0).fields }
      return (text, told)
    }
    let document = try Document(json.bytes)
    return try document.withRoot { view in
      let said = RefusalReader(refusal: view)
      let words = said.summary(after: said.fields.isEmpty ? ReasonText.reason(in: view) : nil)
      return (words ?? String(decoding: json.bytes, as: UTF8.self), said.fields)
    }
  }

  private func item(_ value: Value) -> [UInt8]? {
    guard value.kind == .object, value.count > 0 else { return nil }
    return JSONValue(value).bytes
  }
}

extension Value {
  /// Null, false, and what is empty.
  fileprivate var isNothing: Bool {
    switch kind {
    case .null: true
    case .boolean: !isTruthy
    case .string: text?.isEmpty ?? true
    case .array, .object: count == 0
    case .number: false
    }
  }
}
