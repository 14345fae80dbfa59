import HTTPServer
import TableStore

extension Idempotency {
  var digest: [UInt8] { Array(request.utf8) }

  static var reused: Response {
    ServiceError.unprocessable(
      "This `Idempotency-Key` stood on another request: use a new one for a new request.",
      field: "Idempotency-Key"
    ).response
  }
}

/// The requests with an idempotency key that are under way: repeats wait for the first one's answer. For tables that
/// are not in the store, a family's members, also the last answers.
struct RepeatedRequests: Sendable {
  private static let remembered = 1000
  private var waiting: [String: (request: String, completions: [@Sendable (Response) -> Void])] = [:]
  private var answers: [String: StoredReply] = [:]
  /// The keys of the answers, the oldest first.
  private var order: [String] = []

  /// Whether this is the first with its key. Another one is answered with it, or at once if it asks for other things.
  mutating func join(_ idempotency: Idempotency, _ completion: @escaping @Sendable (Response) -> Void) -> Bool {
    guard let first = waiting[idempotency.key] else {
      waiting[idempotency.key] = (idempotency.request, [completion])
      return true
    }
    if first.request == idempotency.request {
      waiting[idempotency.key]?.completions.append(completion)
    } else {
      completion(Idempotency.reused)
    }
    return false
  }

  mutating func remember(_ reply: StoredReply) {
    if answers.updateValue(reply, forKey: reply.key) == nil { order.append(reply.key) }
    if order.count > Self.remembered { answers[order.removeFirst()] = nil }
  }

  func answer(to idempotency: Idempotency) -> Response? {
    guard let reply = answers[idempotency.key], reply.expires > secondsSince1970() else { return nil }
    return reply.answer(to: idempotency)
  }

  mutating func leave(_ idempotency: Idempotency) -> [@Sendable (Response) -> Void] {
    waiting.removeValue(forKey: idempotency.key)?.completions ?? []
  }
}

extension StoredReply {
  /// How long a repeat gets the first answer, in seconds.
  private static let lifetime: Int64 = 24 * 3600

  init(_ idempotency: Idempotency, _ response: Response) {
    self.init(
      key: idempotency.key,
      request: idempotency.digest,
      status: response.status.code,
      headers: (response.headers.fields + response.additional).map {
        Header(name: $0.name.description, value: $0.value)
      },
      body: response.body,
      expires: secondsSince1970() + Self.lifetime
    )
  }

  /// To a request with its key: what the first one got, if it asks for the same.
  func answer(to idempotency: Idempotency) -> Response {
    request == idempotency.digest ? Response(self) : Idempotency.reused
  }
}

extension Response {
  fileprivate init(_ stored: StoredReply) {
    let fields = stored.headers.compactMap { field in HeaderName(field.name).map { HeaderField($0, field.value) } }
    self.init(status: Status(stored.status), headers: HeaderBlock(fields), body: stored.body)
  }
}
