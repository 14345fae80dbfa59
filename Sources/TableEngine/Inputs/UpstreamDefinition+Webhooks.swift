import Definitions
import Foundation
import TableStore
import Upstream

extension UpstreamDefinition {
  /// Returns the verdict on a webhook's signature; nil where the source takes none.
  func webhookVerdict(on body: [UInt8], header: (String) -> String?) -> WebhookSignature.Verdict? {
    guard webhookSecret != nil || webhookToken != nil else { return nil }
    // Both are looked at in any case.
    let hasToken = webhookToken?.isProven(by: header) ?? false
    let signature = webhookSecret.map { secret in
      WebhookSignature.verdict(on: body, secret: secret, now: Int64(Date().timeIntervalSince1970), header: header)
    }
    return hasToken ? .valid : signature ?? .invalid
  }
}

extension TableError {
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
