import HTTPServer
import JSON

/// Edits as a request asks for them, with its conditions.
struct EditCommand: Sendable {
  var edits: [Edit]
  var answer: EditAnswer
  var terms: EditTerms
  var caller: CallerFields
}

/// Under which terms a request asks for an edit or a tap.
struct EditTerms: Sendable {
  /// `If-Match`: the cursor that the table has to be at.
  var condition: EntityTagCondition?
  var idempotency: Idempotency?
}

/// `Idempotency-Key`, and a fingerprint of the request that it stands for.
struct Idempotency: Hashable, Sendable {
  var key: String
  var request: String
}
