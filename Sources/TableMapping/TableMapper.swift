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

  /// - Parameters:
  ///   - cells: All that the configuration declares.
  ///   - representations: The shared ones.
  ///   - sources: Those that the table's sections name, for where their items stand in a response.
  public init(
    table: TableDefinition,
    cells: [CellDefinition],
    representations: [String: RepresentationDefinition] = [:],
    sources: [SourceDefinition] = []
  ) throws(DefinitionError) {
    plan = try MappingPlan(table: table, cells: cells, representations: representations, sources: sources)
  }

  public var definition: TableDefinition { plan.definition }

  /// The sources of the table's sections, each once, in the order of the sections.
  public var sources: [String] { plan.sources.map(\.name) }

  /// Maps what the sources have.
  ///
  /// - Parameters:
  ///   - contents: By the source's name. A source that is not there has no rows: to keep those of a source that is
  ///     down, give its last good content.
  ///   - cache: What the last mapping left, if there was one.
  ///   - parameters: `$params`.
  ///   - environment: `env`.
  /// - Complexity: O(bytes); an item that is in the cache costs a comparison of its bytes.
  public func map(
    _ contents: [String: SourceContent],
    reusing cache: MappingCache? = nil,
    parameters: [String: String] = [:],
    environment: [String: String] = [:]
  ) -> MappingResult {
    var run = MappingRun(plan: plan, cache: cache, parameters: parameters, environment: environment)
    for source in plan.sources {
      if let content = contents[source.name] { run.read(source, content) }
    }
    return run.finish()
  }

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
