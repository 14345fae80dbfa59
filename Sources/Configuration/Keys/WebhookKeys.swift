import Definitions

enum WebhookKeys: ObjectKeys {
  static let name = "Webhook"
  static let noun = "the webhook"

  static let secret = Key(
    required: "secret",
    .text("a secret", example: "${env.HOOK_SECRET}"),
    secrecy: .secret,
    example: "${env.HOOK_SECRET}",
    "The key of the HMAC-SHA256 over the body that a call must carry; where the sender signs a time stamp too, calls "
      + "that are five minutes off are refused."
  )

  static let keys = [secret.description]

  static func value(of object: ObjectReader) -> String? { object[secret] }
}
