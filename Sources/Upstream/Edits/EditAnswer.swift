internal import Definitions
internal import Expressions
internal import JSON

/// What an upstream's answer to an edit means. Pure.
struct EditAnswer {
  let request: EditRequestDefinition
  let refused: Expression?
  let check: ResponseCheck

  /// - Parameter source: where its list is under `data`, as GraphQL and JSON:API have it, `errors` says that an edit was
  ///   refused, unless the edit has an expression of its own.
  init(_ request: EditRequestDefinition, source: UpstreamDefinition, check: ResponseCheck) {
    (self.request, self.check) = (request, check)
    let isUnderData = source.items.map { items in
      items.documentPath?.first == .name("data") || Set(items.itemMembers) == ["data"]
    }
    refused = request.refused ?? (isUnderData == true ? try? Expression("errors") : nil)
  }

  /// - Parameter sent: the request, for messages.
  func outcome(_ response: TransferResponse, of sent: TransferRequest) -> EditOutcome {
    let words: String?
    let item: [UInt8]?
    do {
      (words, item) = try read(response)
    } catch {
      // The upstream may have carried it out: what it says about that can't be read.
      return .unknown(
        UpstreamError(
          .unexpectedShape,
          title: "The upstream's answer to an edit is not as configured",
          detail: "\(sent.method) \(response.url): \(check.redaction.clean("\(error)"))",
          status: response.status
        )
      )
    }
    if (200..<300).contains(response.status) {
      return words.map { .refused(refusal($0, response, sent)) } ?? .accepted(status: response.status, item: item)
    }
    guard var error = check.failure(of: response, request: sent, now: 0) else {
      return .accepted(status: response.status, item: item)
    }
    guard let words, request.refused != nil else { return unread(error, response.status) }
    guard Self.sayMore.contains(response.status) else { return .refused(refusal(words, response, sent)) }
    error.detail = "\(sent.method) \(response.url) answered \(response.status): \(check.redaction.clean(words))"
    return .refused(error)
  }

  /// What a status says alone.
  private func unread(_ error: UpstreamError, _ status: Int) -> EditOutcome {
    // A gateway that has waited in vain does not know (RFC 9110 section 15.6.5).
    status == 504 ? .unknown(error) : status >= 500 ? .failed(error) : .refused(error)
  }

  /// Who asks, or when, is what is wrong, and not the edit.
  private static let sayMore: Set = [401, 403, 412]

  private func refusal(_ words: String, _ response: TransferResponse, _ sent: TransferRequest) -> UpstreamError {
    UpstreamError(
      .status,
      title: "The upstream refuses the edit",
      detail: "\(sent.method) \(response.url) answered: \(check.redaction.clean(words))",
      status: 422
    )
  }

  /// Why it was refused, and the item. A body that is no JSON has neither members nor an item.
  private func read(_ response: TransferResponse) throws -> (words: String?, item: [UInt8]?) {
    guard let document = try? Document(response.body), (try? document.withRoot { _ in }) != nil else {
      return (try words(in: scope(.null, response)), nil)
    }
    return try document.withRoot { root in
      let scope = scope(Value(root), response)
      if let words = try words(in: scope) { return (words, nil) }
      guard (200..<300).contains(response.status) else { return (nil, nil) }
      return (nil, item(try request.item?.evaluate(in: scope) ?? Value(root)))
    }
  }

  private func scope(_ root: Value, _ response: TransferResponse) -> Scope {
    var scope = Scope(item: root)
    scope.response = root
    scope.status = response.status
    return scope
  }

  private func words(in scope: Scope) throws -> String? {
    guard let value = try refused?.evaluate(in: scope), !value.isNothing else { return nil }
    let json = JSONValue(value)
    if case .bool = json { return "it refuses, without a reason" }
    if let text = value.text { return text }
    let document = try Document(json.bytes)
    return try document.withRoot { ReasonText.reason(in: $0) } ?? String(decoding: json.bytes, as: UTF8.self)
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
