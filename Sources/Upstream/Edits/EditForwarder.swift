public import Definitions
internal import Dispatch
internal import Expressions
public import JSON

/// An edit on its way to the upstream, as the caller asked for it.
public struct ForwardedEdit: Sendable {
  /// The item that is edited; for an insert, null.
  public var item: JSONValue
  /// The caller's body: the new item, the merge patch, the place.
  public var edit: JSONValue
  /// The row's identity; nil for an insert.
  public var id: String?
  /// Sent as `Idempotency-Key`: the caller's own, or one that was made for this edit.
  public var idempotencyKey: String

  public init(item: JSONValue = .null, edit: JSONValue = .null, id: String? = nil, idempotencyKey: String) {
    self.item = item
    self.edit = edit
    self.id = id
    self.idempotencyKey = idempotencyKey
  }
}

/// What the upstream made of an edit.
public enum EditOutcome: Sendable {
  /// 2xx, with the body.
  case accepted(status: Int, body: [UInt8])
  /// 3xx or 4xx: nothing was changed. The reason is the upstream's own, shortened and without secrets.
  case refused(UpstreamError)
  /// Nobody knows whether it was carried out: no answer, or half of one, in time.
  case unknown(UpstreamError)
  /// It did not reach the upstream, or failed there by a 5xx.
  case failed(UpstreamError)
}

/// Sends edits to an upstream: once each, whatever comes of it, and without following redirects.
public struct EditForwarder: Sendable {
  private let definition: UpstreamDefinition
  private let context: FetchContext
  private let client: TransferClient

  /// - Parameters:
  ///   - definition: of the table's source: its time-outs, limits and TLS files hold for edits too.
  ///   - context: with the headers of the caller who edits.
  public init(_ definition: UpstreamDefinition, context: FetchContext, client: TransferClient) {
    (self.definition, self.context, self.client) = (definition, context, client)
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
    let check = ResponseCheck(redaction: Redaction(context, request: transfer))
    client.send(transfer) { completion(Self.outcome($0, transfer, check)) }
  }

  func request(_ edit: ForwardedEdit, _ definition: EditRequestDefinition) throws(UpstreamError) -> TransferRequest {
    let builder = RequestBuilder(definition: self.definition, context: context)
    var scope = builder.scope(context.parameters)
    scope.item = Value(edit.item)
    scope.edit = Value(edit.edit)
    scope.id = edit.id.map { .string($0) } ?? .null
    guard let key = TransferField("Idempotency-Key", edit.idempotencyKey) else {
      throw .unusable("the idempotency key has a character that is not allowed")
    }
    let origin = try builder.first().url.origin
    var headers = try builder.headers(definition.headers, in: scope, body: definition.body)
    headers.removeAll { $0.isNamed("Idempotency-Key") }
    var limits = builder.limits
    limits.maxRedirects = 0
    return TransferRequest(
      method: definition.method,
      url: try builder.url(definition.url, in: scope, neutral: scope.neutral(), origin: origin),
      headers: headers + [key],
      body: try builder.body(definition.body, in: scope),
      limits: limits,
      security: builder.security,
      isSentOnce: true
    )
  }

  private static func outcome(
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TransferRequest,
    _ check: ResponseCheck
  ) -> EditOutcome {
    switch result {
    case .success(let response):
      // The body of an accepted edit may be of any type; what is no success carries a reason.
      if (200..<300).contains(response.status) { return .accepted(status: response.status, body: response.body) }
      guard let error = check.failure(of: response, request: request, now: 0) else {
        return .accepted(status: response.status, body: response.body)
      }
      let hidden = check.redaction.hide(error)
      return response.status >= 500 ? .failed(hidden) : .refused(hidden)
    case .failure(let error):
      let hidden = check.redaction.hide(error)
      return error.mayHaveArrived ? .unknown(hidden) : .failed(hidden)
    }
  }
}
