public import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// Makes a table's content from its sources' items. Compiled once for a table's definition; pure.
///
/// An item whose bytes are those of the last mapping is not mapped again: its row is the same object, provided that
/// what its expressions read (`$index`, `$response`, parameters) is the same too.
public struct TableMapper: Sendable {
  let plan: MappingPlan
  /// The plan of a family whose members share rows.
  let common: CommonPlan?
  let maximumBytes: Int

  /// - Parameters:
  ///   - cells: All that the configuration declares.
  ///   - representations: The shared ones.
  ///   - sources: Those that the table's sections and lookups name, for where their items stand in a response.
  ///   - maximumBytes: What a mapping may take of memory, about: of the sources' answers and the rows made of them. An
  ///     answer that is over it is a problem of its source.
  ///   - workPerItem: What a mapping may take of work for each item of a source, and for 10,000 more, beyond 50 steps for each
  ///     of its bytes; a step is about a nanosecond. An answer that is over it is a problem of its source.
  public init(
    table: TableDefinition,
    cells: [CellDefinition],
    representations: [String: RepresentationDefinition] = [:],
    sources: [SourceDefinition] = [],
    maximumBytes: Int = 1 << 30,
    workPerItem: Int = 50_000
  ) throws(DefinitionError) {
    plan = try MappingPlan(
      table: table,
      cells: cells,
      representations: representations,
      sources: sources,
      workPerItem: workPerItem
    )
    common = try CommonPlan(plan, cells: cells, representations: representations, sources: sources)
    self.maximumBytes = maximumBytes
  }

  public var definition: TableDefinition { plan.definition }

  /// The sources of the table's sections, each once, in the order of the sections, then those of its lookups.
  public var sources: [String] { Self.names(plan.sources + plan.lookups.map(\.source)) }

  /// The sources whose items have rows.
  public var sectionSources: [String] { Self.names(plan.sources) }

  /// The sources whose items are looked up, whether they are shown themselves or not.
  public var lookupSources: [String] { Self.names(plan.lookups.map(\.source)) }

  /// Each once.
  private static func names(_ sources: [MappingPlan.SourcePlan]) -> [String] {
    sources.reduce(into: []) { names, source in
      if !names.contains(source.name) { names.append(source.name) }
    }
  }

  /// Maps what the sources have: a first answer, a refresh, edits, edits that are undone, or what another replica has made of the items.
  /// The mapper finds the changes since the last mapping, and lays out these alone where it can. Unchanged rows stay the same objects.
  ///
  /// - Parameters:
  ///   - contents: By the source's name. A source that is not there has no rows: to keep those of a source that is
  ///     down, give its last good content.
  ///   - last: The last mapping, if there was one. It is the last one by this mapper, or it is ignored.
  ///   - variables: What expressions see beside the items.
  /// - Complexity: O(changes · log² rows + sections) for items that the service owns and edits over a response
  ///   (``IncrementalMapping``). Else O(bytes); an item that is as it was costs a comparison of its bytes, and none of a response that is
  ///   the very array of the last time.
  public func map(
    _ contents: [String: SourceContent],
    after last: MappingResult? = nil,
    variables: MappingVariables
  ) -> MappingResult {
    if let part = part(of: contents, after: last, variables: variables) { return part }
    return plan.map(contents, after: last, variables: variables, maximumBytes: maximumBytes)
  }

  /// As with variables that are only these.
  public func map(
    _ contents: [String: SourceContent],
    after last: MappingResult? = nil,
    parameters: [String: String] = [:],
    environment: [String: String] = [:]
  ) -> MappingResult {
    let variables = MappingVariables(parameters: parameters, environment: environment)
    return map(contents, after: last, variables: variables)
  }

  /// Returns the table's title, also before its sources have answered: the title with its expressions evaluated. Where
  /// one fails, the title as the definition has it.
  public func title(for variables: MappingVariables) -> String { plan.title(for: variables) }

  /// The cell that takes a row where a client can show no cell of its chain: that of the table's `cell`, else of
  /// `$default`; nil where the table has neither.
  public var defaultCell: String? {
    for representation in plan.defaults {
      if let cell = representation.unconditionalCell { return cell.cell }
    }
    return nil
  }

  /// The cell that exists where a configuration declares none.
  public static var builtInCell: CellDefinition { .builtIn }
}

extension MappingPlan {
  /// - Parameter last: the last mapping; one by another plan or with other variables tells nothing.
  func map(
    _ contents: [String: SourceContent],
    after last: MappingResult?,
    variables: MappingVariables,
    maximumBytes: Int
  ) -> MappingResult {
    let cache = last?.cache
    let goesOn = if let cache { cache.plan === self && cache.variables == variables } else { false }
    let last = goesOn ? last : nil
    var contents = contents
    // Edits of looked-up items become a part of them first.
    for source in lookups.map(\.source) { contents[source.name] = contents[source.name]?.settled(of: source) }
    let found = Lookups(
      lookups,
      contents,
      previous: last?.cache.lookups ?? [],
      variables: variables,
      workPerItem: workPerItem
    )
    if let last,
      var changes = IncrementalMapping(
        self,
        contents,
        after: last,
        lookups: found,
        variables: variables,
        maximumBytes: maximumBytes
      )
    {
      if let result = changes.result() { return result }
      contents = changes.contents
    }
    for source in sources { contents[source.name] = contents[source.name]?.settled(of: source) }
    return MappingRun(
      plan: self,
      contents,
      after: last,
      lookups: found,
      variables: variables,
      budget: MappingBudget(maximumBytes, workPerItem: workPerItem)
    )
    .result()
  }

  /// The table's title with its expressions evaluated.
  func title(for variables: MappingVariables) -> String {
    (try? definition.titleTemplate?.text(in: variables.scope)) ?? definition.title
  }
}
