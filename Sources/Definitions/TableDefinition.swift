public import Expressions
public import TableModel

/// What `tables.NAME` declares.
public struct TableDefinition: Sendable {
  public var name: String
  public var title: String
  /// The source of the sections that name none. For a local source, the name that the configuration gave it.
  public var source: String
  /// The row's identity: nil only where the source is local, which gives one.
  public var rowID: Template?
  /// The item's type, looked up in the representations: nil where everything is `$default` or `cell`.
  public var rowType: Template?
  /// This table's own look, over the shared representations.
  public var representations: [String: RepresentationDefinition] = [:]
  /// The table's default cell.
  public var cell: CellMapping?
  public var sections = SectionsDefinition.single(SectionDefinition(id: "main"))
  public var animation = AnimationConfiguration()
  public var can = PermissionsDefinition()
  /// A tap without a view changes the table for everyone.
  public var sharedTaps = false
  /// Makes this a family of tables, one instance for each set of values.
  public var parameters: [ParameterDefinition] = []
  /// The caller's own request headers that go to the upstreams; instances are then per distinct value.
  public var forward: [String] = []
  /// Those of `forward` that every source of the table is sent. The others go to the sources that name them alone.
  public var forwardToAll: [String] = []
  public var edits = EditsDefinition()
  public var instances = InstancesDefinition()

  public init(name: String, title: String, source: String) {
    (self.name, self.title, self.source) = (name, title, source)
  }
}

public enum SectionsDefinition: Sendable {
  /// One section; rows in the order of the source.
  case single(SectionDefinition)
  /// In this order. An item goes to the first section that takes it, or to all of them.
  case list([SectionDefinition], firstMatch: Bool)
  case groups(GroupsDefinition)
}

public struct SectionDefinition: Sendable {
  public var id: String
  /// Nil: the table's.
  public var source: String?
  /// Nil: takes every item.
  public var predicate: Expression?
  public var header: CellMapping?
  public var footer: CellMapping?
  public var hideEmpty = true
  public var sort: [SortDefinition] = []
  public var limit: Int?

  public init(id: String) { self.id = id }
}

public struct GroupsDefinition: Sendable {
  public var key: Expression
  /// Keys that come first, in this order.
  public var order: [String] = []
  /// How the others come; nil: as they are met.
  public var sortGroups: SortDirection?
  public var header: CellMapping?
  public var footer: CellMapping?
  public var hideEmpty = true
  public var sort: [SortDefinition] = []
  public var limit: Int?

  public init(key: Expression) { self.key = key }
}

public struct SortDefinition: Sendable {
  public var key: Expression
  public var direction: SortDirection

  public init(key: Expression, direction: SortDirection = .ascending) {
    (self.key, self.direction) = (key, direction)
  }
}

public enum SortDirection: String, Sendable, CaseIterable { case ascending, descending }

/// `can`: constants or expressions, per row.
public struct PermissionsDefinition: Sendable {
  public var edit = Rule.whereEditable
  public var move = Rule.whereEditable
  public var select = Rule.constant(true)

  public init() {}

  public enum Rule: Sendable {
    case constant(Bool)
    case expression(Expression)
    /// What holds where the configuration says nothing: as table views do, a row can be edited and moved if there
    /// is somebody to take the edit: the service's own items, or an upstream by the table's `edits`.
    case whereEditable
  }
}

public struct ParameterDefinition: Sendable {
  public var name: String
  /// A regular expression that a value matches as a whole.
  public var pattern: String
  public var defaultValue: String?

  public init(name: String, pattern: String, defaultValue: String? = nil) {
    (self.name, self.pattern, self.defaultValue) = (name, pattern, defaultValue)
  }
}

/// How many instances of a family of tables live, and for how long.
public struct InstancesDefinition: Equatable, Sendable {
  public var maximum = 1000
  /// Polled only while someone read it in so long.
  public var freezeAfter = Duration.seconds(5 * 60)
  public var dropAfter = Duration.seconds(30 * 60)

  public init() {}
}

/// How edits of a table with an upstream source are forwarded; nil: not at all (403).
public struct EditsDefinition: Sendable {
  public var insert: EditRequestDefinition?
  public var patch: EditRequestDefinition?
  public var delete: EditRequestDefinition?
  public var move: EditRequestDefinition?

  public init() {}
}

/// One request to the upstream, of an edit or an action. Expressions see the item as the roots, `$edit` (the caller's
/// body, and its place), `$params`, `env`, and `$id`.
public struct EditRequestDefinition: Sendable {
  public var method: String
  public var url: Template
  public var headers: [(name: String, value: Template)]
  public var body: Template?
  /// Where the item stands in the answer; nil: the answer itself is it, if it is an object.
  public var item: Expression?
  /// Of the answer and `$status`: anything but null, false or empty says that the edit was refused, and why.
  public var refused: Expression?

  public init(
    method: String,
    url: Template,
    headers: [(name: String, value: Template)] = [],
    body: Template? = nil,
    item: Expression? = nil,
    refused: Expression? = nil
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    (self.item, self.refused) = (item, refused)
  }
}
