import Definitions

enum WebhookKeys: ObjectKeys {
  static let name = "Webhook"
  static let noun = "the webhook"

  /// A webhook's proof of its sender: a signature, or a token.
  struct Proof: Sendable {
    var secret: String?
    var token: WebhookToken?
  }

  static let secret = Key(
    "secret",
    .text("a secret", example: "${env.HOOK_SECRET}"),
    secrecy: .secret,
    "The key of the HMAC-SHA256 over the body that a call must carry; where the sender signs a time stamp too, calls "
      + "that are five minutes off are refused."
  )
  static let bearer = Key(
    "bearer",
    .text("a token", example: "${env.HOOK_TOKEN}"),
    secrecy: .secret,
    "The token of `Authorization: Bearer …`, for senders that sign nothing."
  )
  static let header = Key(
    "header",
    .headerName,
    "The header in which a sender that signs nothing has its token: `X-Gitlab-Token`."
  )
  static let equals = Key(
    "equals",
    .text("a token", example: "${env.HOOK_TOKEN}"),
    secrecy: .secret,
    "With `header`: the token."
  )

  static let keys = [secret.description, bearer.description, header.description, equals.description]

  static func value(of object: ObjectReader) -> Proof? {
    let present = object.present(of: [secret.name, bearer.name, header.name])
    guard present.count == 1 else {
      object.reading.error(
        at: object.place,
        present.isEmpty ? "the webhook proves itself by nothing" : "the webhook has \(together(present)) at once",
        present.isEmpty ? "write `secret: ${env.HOOK_SECRET}`, `bearer`, or `header` with `equals`" : "keep one of them"
      )
      return nil
    }
    if object.has(header) != object.has(equals) {
      object.reading.error(
        at: object.place,
        "'header' and 'equals' belong together",
        "write for example `{header: X-Gitlab-Token, equals: \"${env.HOOK_TOKEN}\"}`"
      )
      return nil
    }
    if object.has(secret) { return object[secret].map { Proof(secret: $0) } }
    if object.has(bearer) { return object[bearer].map { Proof(token: .bearer($0)) } }
    guard let field = object[header], let value = object[equals] else { return nil }
    return Proof(token: WebhookToken(header: field, value: value))
  }
}
