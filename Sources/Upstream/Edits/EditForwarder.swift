public import Definitions
internal import Expressions
internal import JSON
internal import Queues

/// Sends edits and actions to an upstream: once each, whatever comes of it, and without following redirects.
public struct EditForwarder: Sendable {
  private let source: String
  private let definition: UpstreamDefinition
  private let context: FetchContext
  private let client: TransferClient

  /// - Parameters:
  ///   - source: the source's name, for the log.
  ///   - definition: of the table's source: its time-outs, limits and TLS files hold for edits too, and its headers go
  ///     with them unless the edit has its own. Another origin gets neither headers nor the client's certificate.
  ///   - context: with the headers of the caller who edits.
  public init(
    source: String = "",
    _ definition: UpstreamDefinition,
    context: FetchContext,
    client: TransferClient
  ) {
    (self.source, self.definition, self.context, self.client) = (source, definition, context, client)
  }

  /// - Parameter completion: called once, on `client.queue`.
  public func forward(
    _ edit: ForwardedEdit,
    as request: EditRequestDefinition,
    completion: @escaping @Sendable (EditOutcome) -> Void
  ) {
    let transfer: TransferRequest
    do throws(UpstreamError) {
      transfer = try self.request(edit, request)
    } catch {
      client.queue.async { completion(.failed(error)) }
      return
    }
    guard let login = login(for: transfer, request) else {
      return send(transfer, of: edit, as: request, provenBy: nil, completion: completion)
    }
    client.queue.async { [self] in
      prove(transfer, of: edit, as: request, login, isLast: false, completion: completion)
    }
  }

  /// Nil where the request goes without the source's `auth`: to another host, or with credentials of its own.
  private func login(for transfer: TransferRequest, _ request: EditRequestDefinition) -> Login? {
    let builder = RequestBuilder(definition: definition, context: context)
    guard let login = Login(definition, builder.security),
      !request.headers.contains(where: { $0.name.equalsIgnoringCase("Authorization") }),
      let origin = try? builder.page(cursor: .null).url.origin, origin.mayShareSecrets(with: transfer.url.origin)
    else { return nil }
    return login
  }

  /// On `client.queue`. A token that the upstream refuses has kept the edit from being carried out: it is sent once more
  /// with another one.
  private func prove(
    _ transfer: TransferRequest,
    of edit: ForwardedEdit,
    as request: EditRequestDefinition,
    _ login: Login,
    isLast: Bool,
    completion: @escaping @Sendable (EditOutcome) -> Void
  ) {
    login.prove(client) { [self] result in
      switch result {
      case .failure(let error): completion(.failed(error))
      case .success(let proof):
        let proven = transfer.replacing(proof.field)
        send(proven, of: edit, as: request, provenBy: (login, proof, isLast), completion: completion)
      }
    }
  }

  private func send(
    _ transfer: TransferRequest,
    of edit: ForwardedEdit,
    as request: EditRequestDefinition,
    provenBy proven: (login: Login, proof: Login.Proof, isLast: Bool)?,
    completion: @escaping @Sendable (EditOutcome) -> Void
  ) {
    var redaction = Redaction(context, request: transfer)
    redaction.hide(further: proven?.login.secrets ?? [])
    let check = ResponseCheck(redaction: redaction, context: context)
    let answer = EditAnswer(to: edit, as: request, source: definition, check: check)
    let started = Duration.now
    client.send(transfer) { [self] result in
      if let (login, proof, isLast) = proven, case .success(let response) = result {
        if response.status != 401 {
          login.accepted(proof, client)
        } else if !isLast, login.refused(proof, client) {
          return prove(transfer, of: edit, as: request, login, isLast: true, completion: completion)
        }
      }
      client.reading.async {
        var outcome = Self.outcome(result, transfer, answer).hidden(check.redaction)
        if proven != nil, case .refused(let error) = outcome, error.status == 401 {
          outcome = .failed(error.asRefusedLogin)
        }
        if case .accepted(var accepted) = outcome, request.form == nil {
          accepted.sent = transfer.body
          outcome = .accepted(accepted)
        }
        let told = outcome
        client.queue.async {
          client.observer?(report(told, result, transfer, check, elapsed: .now - started))
          completion(told)
        }
      }
    }
  }

  func request(_ edit: ForwardedEdit, _ definition: EditRequestDefinition) throws(UpstreamError) -> TransferRequest {
    let builder = RequestBuilder(definition: self.definition, context: context)
    var scope = edit.scope(in: context)
    scope.item = Value(edit.item)
    scope.parent = Value(edit.parent)
    scope.lookups = edit.lookups.mapValues { Value($0) }
    guard let key = TransferField("Idempotency-Key", edit.idempotencyKey) else {
      throw .unusable("the idempotency key has a character that is not allowed")
    }
    let origin = try builder.page(cursor: .null).url.origin
    let url = try builder.url(definition.url, in: scope, neutral: scope.neutral(), origin: origin)
    // `/items/` is all items, where `/items/${uuid}` was meant to be one.
    for expression in definition.url.interpolations(before: "?") {
      let value = (try? expression.evaluate(in: scope)) ?? .null
      guard value.kind == .boolean || !(value.text ?? "").isEmpty else {
        throw .impossible("`\(expression.text)`, which its path names, is nothing")
      }
    }
    var templates = definition.headers
    // The source's header fields may hold its secrets, which no other host is told.
    let isAtHome = origin.mayShareSecrets(with: url.origin)
    if isAtHome {
      templates += self.definition.headers.filter { field in
        !definition.headers.contains { $0.name.equalsIgnoringCase(field.name) }
          && (definition.body != nil || !field.name.equalsIgnoringCase("Content-Type"))
      }
    }
    if definition.form != nil { templates.removeAll { $0.name.equalsIgnoringCase("Content-Type") } }
    var headers = try builder.headers(templates, in: scope, body: definition.body)
    if definition.form != nil { headers.append(.contentTypeForm()) }
    headers.removeAll { $0.isNamed("Idempotency-Key") }
    var limits = builder.limits
    limits.maxRedirects = 0
    return TransferRequest(
      method: definition.method,
      url: url,
      headers: headers + [key],
      body: try definition.form == nil
        ? builder.body(definition.body, in: scope) : builder.form(definition.form, in: scope),
      limits: limits,
      security: isAtHome ? builder.security : builder.security.withoutClient,
      isSentOnce: true
    )
  }

  private static func outcome(
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TransferRequest,
    _ answer: EditAnswer
  ) -> EditOutcome {
    switch result {
    case .success(let response): answer.outcome(response, of: request)
    case .failure(let error): error.mayHaveArrived ? .unknown(error) : .failed(error)
    }
  }

  private func report(
    _ outcome: EditOutcome,
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TransferRequest,
    _ check: ResponseCheck,
    elapsed: Duration
  ) -> TransferReport {
    let response = try? result.get()
    return TransferReport(
      purpose: .edit,
      source: source,
      method: request.method,
      url: check.redaction.hide(request.url.description),
      status: response?.status,
      elapsed: elapsed,
      bytes: response?.body.count ?? 0,
      error: outcome.error
    )
  }
}

extension EditOutcome {
  /// Why it was not carried out, or nobody knows.
  public var error: UpstreamError? {
    switch self {
    case .accepted: nil
    case .refused(let error), .unknown(let error), .failed(let error): error
    }
  }

  fileprivate func hidden(_ redaction: Redaction) -> EditOutcome {
    switch self {
    case .accepted: self
    case .refused(let error): .refused(redaction.hide(error))
    case .unknown(let error): .unknown(redaction.hide(error))
    case .failed(let error): .failed(redaction.hide(error))
    }
  }
}
