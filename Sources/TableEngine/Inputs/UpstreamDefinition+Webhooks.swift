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
