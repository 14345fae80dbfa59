public import Expressions

/// How edits of a table with an upstream source are forwarded; nil: not at all (403).
public struct EditsDefinition: Sendable {
  public var insert: EditRequestDefinition?
  /// Puts another item in the place of one, whole.
  public var replace: EditRequestDefinition?
  public var patch: EditRequestDefinition?
  public var delete: EditRequestDefinition?
  public var move: EditRequestDefinition?

  public init() {}

  /// The requests that are defined.
  public var requests: [EditRequestDefinition] { [insert, replace, patch, delete, move].compactMap(\.self) }

  /// Clients may choose what a new item is called: its request says so to the upstream, as `$id`.
  public var takesChosenIdentities: Bool { insert?.dependencies.contains(.id) ?? false }
}

/// One request to the upstream, of an edit or an action. Expressions see the item as the roots, `$edit` (the caller's
/// body, and its place), `$params`, `env`, and `$id`.
public struct EditRequestDefinition: Sendable {
  public var method: String
  public var url: Template
  public var headers: [(name: String, value: Template)]
  public var body: Template?
  /// The item's place in the answer; nil: the answer itself, if it is an object.
  public var item: Expression?
  /// An expression of the answer and `$status`: any value but null, false or empty says that the edit was refused, and
  /// why.
  public var refused: Expression?
  /// In place of a body: sent as `application/x-www-form-urlencoded`. An object.
  public var form: Template?
  /// An expression of the answer to an insert: the `row.id` that the new item will have.
  public var id: Expression?
  /// An expression of the answer that gives its complaints about single members, `{name: text or texts}`, for answers
  /// in no known form.
  public var fields: Expression?

  public init(
    method: String,
    url: Template,
    headers: [(name: String, value: Template)] = [],
    body: Template? = nil,
    item: Expression? = nil,
    refused: Expression? = nil,
    form: Template? = nil,
    id: Expression? = nil,
    fields: Expression? = nil
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    (self.form, self.id, self.fields) = (form, id, fields)
    (self.item, self.refused) = (item, refused)
  }
}

extension EditRequestDefinition {
  /// The dependencies of the request; the expressions that read its answer are not included.
  var dependencies: Dependencies {
    headers.reduce(url.dependencies.union(body?.dependencies ?? []).union(form?.dependencies ?? [])) {
      $0.union($1.value.dependencies)
    }
  }

  /// True if the request names the item around the row's (`$parent`).
  public var readsParent: Bool { dependencies.contains(.parent) }

  /// The table's lookups whose items the request names.
  public var lookups: Set<String> {
    headers.reduce(url.lookups.union(body?.lookups ?? []).union(form?.lookups ?? [])) { $0.union($1.value.lookups) }
  }
}
