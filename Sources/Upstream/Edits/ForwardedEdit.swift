internal import Expressions
public import JSON

/// An edit on its way to the upstream, as the caller asked for it.
public struct ForwardedEdit: Sendable {
  /// The item that is edited; for an insert, null.
  public var item: JSONValue
  /// `$parent`: the item in whose list it stands; null where the table has no `items`.
  public var parent: JSONValue = .null
  /// `$edit`: the caller's body, as the new item or the merge patch.
  public var edit: JSONValue
  /// `$edit.section` and the like, of an insert or a move.
  public var place: Place?
  /// The row's identity; nil for an insert.
  public var id: String?
  /// The items that the table's lookups find: `$user`.
  public var lookups: [String: JSONValue]
  /// `$locale`: of the table that the caller sees.
  public var locale: String?
  /// Sent as `Idempotency-Key`: the caller's own, or one that was made for this edit.
  public var idempotencyKey: String

  public init(
    item: JSONValue = .null,
    edit: JSONValue = .null,
    place: Place? = nil,
    id: String? = nil,
    lookups: [String: JSONValue] = [:],
    locale: String? = nil,
    idempotencyKey: String
  ) {
    self.item = item
    self.edit = edit
    self.place = place
    self.id = id
    self.lookups = lookups
    self.locale = locale
    self.idempotencyKey = idempotencyKey
  }

  /// The place of an edit: what the caller named, and what follows from that. Nil: nothing was said.
  public struct Place: Hashable, Sendable {
    /// A section's identity.
    public var section: String?
    /// A position in the section; of a move, after the removal.
    public var at: Int?
    /// Rows' identities.
    public var after: String?
    public var before: String?

    public init(section: String? = nil, at: Int? = nil, after: String? = nil, before: String? = nil) {
      (self.section, self.at, self.after, self.before) = (section, at, after, before)
    }

    var json: JSONValue {
      let text = { (text: String?) in text.map { JSONValue.string($0) } ?? .null }
      return [
        "section": text(section), "at": at.map { .integer(Int64($0)) } ?? .null, "after": text(after),
        "before": text(before),
      ]
    }
  }
}

extension ForwardedEdit {
  /// The scope of the request and of its answer, without an item: `$edit`, `$id` and `$locale`, beside what the
  /// source's own expressions may read. O(edit).
  func scope(in context: FetchContext) -> Scope {
    var scope = context.scope
    scope.edit = Value(edit)
    scope.place = place.map { Value($0.json) } ?? .null
    scope.locale = locale
    scope.id = id.map { .string($0) } ?? .null
    return scope
  }
}

/// An upstream's judgement of an edit.
public enum EditOutcome: Sendable {
  /// It was carried out.
  case accepted(AcceptedEdit)
  /// Nothing was changed: 3xx or 4xx, or 422 where the answer says so in words (`refused`). The reason is the upstream's
  /// own, shortened and without secrets.
  case refused(UpstreamError)
  /// Nobody knows whether it was carried out: no answer, or half of one, in time.
  case unknown(UpstreamError)
  /// It did not reach the upstream, or failed there by a 5xx.
  case failed(UpstreamError)
}

/// An upstream's answer to an edit that it has carried out.
public struct AcceptedEdit: Hashable, Sendable {
  public var status: Int
  /// The JSON text of the object that stands where `item` says, by default the answer itself; nil where there is none.
  /// Whether it has the table's identity is the table's to find out.
  public var item: [UInt8]?
  /// The `row.id` that the new item will have by the answer, where `id` is configured.
  public var id: String?
  /// The body of the request, where that was JSON.
  public var sent: [UInt8]?

  public init(status: Int, item: [UInt8]? = nil, id: String? = nil, sent: [UInt8]? = nil) {
    (self.status, self.item, self.id, self.sent) = (status, item, id, sent)
  }
}
