public import Expressions

/// How edits of a table with an upstream source are forwarded; nil: not at all (403).
public struct EditsDefinition: Sendable {
  public var insert: EditRequestDefinition?
  public var patch: EditRequestDefinition?
  public var delete: EditRequestDefinition?
  public var move: EditRequestDefinition?

  public init() {}
}

/// One request to the upstream. Expressions see the item as the roots, `$edit` (the caller's body),
/// `$params`, `env`, and `$id`.
public struct EditRequestDefinition: Sendable {
  public var method: String
  public var url: Template
  public var headers: [(name: String, value: Template)]
  public var body: Template?

  public init(method: String, url: Template, headers: [(name: String, value: Template)] = [], body: Template? = nil) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }
}
