public import JSON

/// What an expression can see. Cheap to copy. Holds views: valid only while their documents live.
public struct Scope {
  /// `$item`.
  public var item: Value { didSet { names = item } }
  /// Whose members are meant by names without a root: the item, or the one around a list of plain values.
  var names: Value
  /// `$index`: the position of the item in its list.
  public var index: Int?
  /// `$key`: of the group or section.
  public var key: Value = .null
  /// `$count`: rows of the group or section.
  public var count: Int?
  /// `$response`: the whole document.
  public var response: Value = .null
  /// `$id`: of the row that is edited.
  public var id: Value = .null
  /// `$edit`: the body of the edit.
  public var edit: Value = .null
  /// Where an edit goes, an object: `$edit.section`, `.at`, `.after` and `.before` are its members before they are
  /// those of the body; `$edit` itself is the body alone.
  public var place: Value = .null
  /// `$status`: of an upstream's answer to an edit.
  public var status: Int?
  /// `$cursor`: of the page that is asked for; null for the first one.
  public var cursor: Value = .null
  /// `$params.name`.
  public var parameters: [String: String] = [:]
  /// `env.NAME`. Never shown in errors.
  public var environment: [String: String] = [:]
  /// Shared by all that one expression, or one `$each`, evaluates for elements of lists.
  var budget: Budget?

  public init(item: Value = .null, index: Int? = nil) {
    (self.item, names, self.index) = (item, item, index)
  }

  public init(item: JSONView, index: Int? = nil) { self.init(item: Value(item), index: index) }

  /// The scope inside of a list: `$item` and `$index` are the element's; names are its members if it is an object,
  /// else still those of the item around it.
  public func entering(_ element: Value, index: Int) -> Scope {
    var scope = self
    scope.item = element
    if element.kind != .object { scope.names = names }
    scope.index = index
    return scope
  }
}
