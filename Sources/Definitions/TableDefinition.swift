public import Expressions
public import TableModel

/// A table as `tables.NAME` declares it.
public struct TableDefinition: Sendable {
  public var name: String
  /// Shown above. Where it depends on who asks, what it is without parameters of one's own: see `titleTemplate`.
  public var title: String
  /// The title where it has expressions, of `$params` and `$locale`.
  public var titleTemplate: Template?
  /// The source of the sections that name none. For a local source, the name that the configuration gave it.
  public var source: String
  /// The list of each item of `source`, whose elements are the table's items; nil: the source's items are.
  public var items: Expression?
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
  /// The header fields of `forward` that every source of the table is sent. The others go only to the sources that name
  /// them.
  public var forwardToAll: [String] = []
  /// The caller's values that its expressions and the requests of its sources read: callers with equal values see one
  /// instance.
  public var callerUse = CallerUse.none
  public var edits = EditsDefinition()
  public var instances = InstancesDefinition()
  /// May be polled through caches: `slot` on `changes`.
  public var edges = false
  /// Items of other sources that rows show too. In the order of the configuration.
  public var lookups: [LookupDefinition] = []
  /// The searches, filters and sorts that the table offers; nil: none.
  public var find: FindDefinition?
  /// The entries of a row's swipe or context menu, in this order.
  public var actions: [ActionDefinition] = []

  public init(name: String, title: String, source: String) {
    (self.name, self.title, self.source) = (name, title, source)
  }
}

extension TableDefinition {
  /// True for a family of tables, with a member for each set of parameters or each caller.
  public var isFamily: Bool { !parameters.isEmpty || dependsOnCaller }

  /// True if the rows may be one caller's own.
  public var dependsOnCaller: Bool { !forward.isEmpty || !callerUse.isEmpty }

  /// Callers may edit items that the service owns, each those of their own rows: where these are told apart by what is read of
  /// `$caller` alone, and the service names them.
  public var isEditedByCallers: Bool { forward.isEmpty && !callerUse.isEmpty && rowID == nil }

  /// True if replicas may share its members: those that depend on a caller's header fields are each replica's own, as are those
  /// through which callers edit.
  public var isSharedByReplicas: Bool { forward.isEmpty && !callerUse.readsHeaders && !isEditedByCallers }

  /// The request fields that its replies depend on, as far as they are the caller's own.
  public var callerFields: [String] {
    guard !callerUse.isEmpty else { return forward }
    // Where an expression reads all header fields, no list of names tells who is asked for.
    let headers = callerUse.headers.map { $0.sorted() } ?? ["*"]
    let names = forward + headers + (callerUse.readsIdentity ? ["Authorization"] : [])
    return names.enumerated().filter { index, name in
      !names[..<index].contains { $0.lowercased() == name.lowercased() }
    }.map(\.element)
  }

  /// True if clients may poll the table through caches: it is configured so, and doesn't depend on who asks.
  public var isForEdges: Bool { edges && !dependsOnCaller }
}

/// How many instances of a family of tables live, and for how long.
public struct InstancesDefinition: Equatable, Sendable {
  public var maximum = 1000
  /// Bytes that they may hold together; nil: what all families may.
  public var maximumBytes: Int?
  /// Polled only while someone read it in so long.
  public var freezeAfter = Duration.seconds(5 * 60)
  public var dropAfter = Duration.seconds(30 * 60)

  public init() {}
}
