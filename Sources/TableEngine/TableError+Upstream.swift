import Definitions
import Upstream

extension TableError {
  /// Takes a fetch that says that there is no such table, or none for its caller: in words that readers may be told.
  init(_ error: UpstreamError, _ kind: Kind, at source: UpstreamDefinition, showingItsWords: Bool) {
    self.init(error, kind, passingOn: true)
    upstreamStatus = nil
    if !showingItsWords { (title, detail) = error.publicWords(at: source) }
  }

  /// Statuses that speak of the message that was sent, which is the service's own: RFC 9110 section 15.5 and 6585.
  private static let ofMessages: Set<Int> = [405, 406, 407, 408, 411, 413, 414, 415, 416, 417, 421, 426, 431]

  /// Takes an upstream's refusal, in its own words, with the time at which it wants to be asked again.
  ///
  /// - Parameter passingOn: It is of the caller's own making: a status from 400 to 499 is the answer, with its challenge.
  init(_ error: UpstreamError, _ kind: Kind, passingOn: Bool = false) {
    self.init(kind, title: error.title, detail: error.detail, retryAfter: error.retryAfter)
    fields = error.fields.map { FieldFault(name: $0.name, reasons: $0.reasons) }
    if fields.count == 1 { field = fields[0].name }
    guard passingOn else { return }
    challenge = error.challenge
    if let status = error.status, (400..<500).contains(status), !Self.ofMessages.contains(status) {
      upstreamStatus = status
    }
  }

  static var unsignedWebhook: TableError {
    refusedWebhook(
      "A webhook is signed: `X-Hub-Signature-256: sha256=` and the HMAC-SHA256 of the body, in hexadecimal; or it has the token "
        + "that its source is configured with."
    )
  }

  static var staleWebhook: TableError {
    refusedWebhook(
      "The webhook's time stamp is more than five minutes off: it is a repetition, or a clock is wrong."
    )
  }

  private static func refusedWebhook(_ detail: String) -> TableError {
    TableError(.unauthenticated, detail: detail, field: "X-Hub-Signature-256")
  }
}
