import Definitions
import Foundation
import TableStore
import Upstream

extension UpstreamDefinition {
  /// Returns the verdict on a webhook's signature; nil where the source takes none.
  ///
  /// - Parameter known: the verdicts by secrets that were tried before, as sources may have one.
  func webhookVerdict(
    on body: [UInt8],
    header: (String) -> String?,
    known: inout [[UInt8]: WebhookSignature.Verdict]
  ) -> WebhookSignature.Verdict? {
    guard webhookSecret != nil || webhookToken != nil else { return nil }
    // Both are looked at in any case.
    let hasToken = webhookToken?.isProven(by: header) ?? false
    var signature: WebhookSignature.Verdict?
    if let secret = webhookSecret {
      let (now, key) = (Int64(Date().timeIntervalSince1970), Array(secret.utf8))
      signature = known[key] ?? WebhookSignature.verdict(on: body, secret: secret, now: now, header: header)
      known[key] = signature
    }
    return hasToken ? .valid : signature ?? .invalid
  }
}
