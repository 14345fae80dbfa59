import HTTPServer
import JSON

/// Edits as a request asks for them, with its conditions.
struct EditCommand: Sendable {
  var edits: [Edit]
  var answer: EditAnswer
  /// `If-Match`: the cursor that the table has to be at.
  var condition: EntityTagCondition?
  var idempotency: Idempotency?
  var caller: CallerFields
}

/// `Idempotency-Key`, and a fingerprint of the request that it stands for.
struct Idempotency: Hashable, Sendable {
  var key: String
  var request: String
}
