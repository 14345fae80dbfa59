public import JSON

/// The values that an expression can see. Cheap to copy. Holds views: valid only while their documents live.
public struct Scope {
  /// `$item`.
  public var item: Value { didSet { names = item } }
  /// The object whose members names without a root mean: the item, or the one around a list of plain values.
  var names: Value
  /// `$index`: the position of the item in its list.
  public var index: Int?
  /// `$key`: of the group or section.
  public var key: Value = .null
  /// `$count`: rows of the group or section.
  public var count: Int?
  /// `$items`: those of the section, in headers and footers.
  public var items: Value = .null
  /// `$response`: the whole document that the section's own source answered; of several pages, the first.
  public var response: Value = .null
  /// `$pages`: the documents of all pages, in their order.
  public var pages: Value = .null
  /// `$id`: of the row that is edited.
  public var id: Value = .null
  /// `$edit`: the body of the edit.
  public var edit: Value = .null
  /// The place of an edit, an object: `$edit.section`, `.at`, `.after` and `.before` are its members before they are
  /// those of the body; `$edit` itself is the body alone.
  public var place: Value = .null
  /// `$status`: of the upstream's answer to an edit.
  public var status: Int?
  /// `$cursor`: where the next page begins; null for the first.
  public var cursor: Value = .null
  /// `$since`: what the request for changes asks with; null where everything is asked for.
  public var since: Value = .null
  /// `$parent`: the item in whose list this one stands.
  public var parent: Value = .null
  /// `$locale`, and what filters write numbers and dates in unless told otherwise: a BCP 47 tag such as `de-DE`.
  public var locale: String?
  /// `$caller`: who asks.
  public var caller: Value = .null
  /// The items that the table's lookups found, by the lookups' names: `$user`.
  public var lookups: [String: Value] = [:]
  /// `$params.name`.
  public var parameters: [String: String] = [:]
  /// `env.NAME`. Never shown in errors.
  public var environment: [String: String] = [:]
  /// The budget of everything that is evaluated in this scope.
  var budget: Budget?
  var shared: SharedValues?
  /// It is an element's of a list.
  var isInList = false
  /// Names are those of an element, and not of the item around all lists.
  var namesAreElements = false

  public init(item: Value = .null, index: Int? = nil) {
    (self.item, names, self.index) = (item, item, index)
  }

  public init(item: JSONView, index: Int? = nil) { self.init(item: Value(item), index: index) }

  /// The scope inside of a list: `$item` and `$index` are the element's; names are its members if it is an object,
  /// else still those of the item around it.
  public func entering(_ element: Value, index: Int) -> Scope {
    var scope = self
    scope.item = element
    if element.kind == .object { scope.namesAreElements = true } else { scope.names = names }
    scope.isInList = true
    scope.index = index
    return scope
  }
}
