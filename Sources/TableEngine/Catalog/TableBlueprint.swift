import Definitions
import TableMapping

/// A table's definition with what it refers to: all that a live table is made of, checked before anything changes.
struct TableBlueprint: Sendable {
  var definition: TableDefinition
  var mapper: TableMapper
  var cells: CellRegistry
  /// The upstream sources that the table's sections name.
  var upstreams: [TableUpstream]
  /// The table's own source, where its items are the service's and can be edited through the table: no family's, whose members
  /// come and go.
  var local: (name: String, definition: LocalDefinition)?
  /// The same of a family whose callers edit their own rows, each through a member; it is among `otherLocals`, too.
  var callersLocal: (name: String, definition: LocalDefinition)?
  /// Other sources of the service's own that are shown or looked up, to be read.
  var otherLocals: [(name: String, definition: LocalDefinition)] = []
  /// The most memory of the members of all families.
  var membersBytes: Int
  /// For `env`. Never logged.
  var environment: [String: String]
  /// The languages that the table is in; the first is the plain table's. Empty: it has none.
  var locales: [String]
  /// The same where the same items of the table's own make the same table, in every process. Nil where a table is made of
  /// more than these.
  var layout: String?

  /// - Parameters:
  ///   - sources: of the whole configuration, by name.
  ///   - digests: of the whole configuration.
  init(
    _ table: TableDefinition,
    in service: ServiceDefinition,
    _ sources: [String: SourceDefinition],
    _ digests: HandoverDigests
  ) throws(StartError) {
    definition = table
    environment = service.environment
    membersBytes = service.limits.membersBytes
    locales = service.locales
    do {
      mapper = try TableMapper(
        table: table,
        cells: service.cells,
        representations: service.representations,
        // There may be thousands of others.
        sources: table.sourceNames.compactMap { sources[$0] },
        maximumBytes: service.limits.mappingBytes,
        workPerItem: service.limits.mappingWork
      )
    } catch {
      throw StartError(description: "table `\(table.name)`: \(error)")
    }
    cells = CellRegistry(
      service.cells.isEmpty ? [TableMapper.builtInCell] : service.cells,
      defaultCell: mapper.defaultCell
    )
    upstreams = []
    for name in mapper.sources {
      switch sources[name]?.kind {
      case .upstream(let upstream)?:
        upstreams.append(TableUpstream(name: name, definition: upstream, digest: digests.sources[name] ?? ""))
      case .local(let local)? where name == table.source && !table.isFamily: self.local = (name, local)
      case .local(let local)?:
        if name == table.source, table.isEditedByCallers { callersLocal = (name, local) }
        otherLocals.append((name, local))
      case nil: throw StartError(description: "table `\(table.name)`: there is no source `\(name)`")
      }
    }
    if local != nil, upstreams.isEmpty, otherLocals.isEmpty, locales.count < 2 { self.layout = digests.layout }
  }

  /// The items that callers edit through members of their own.
  func callersLog(among logs: [ItemLog]) -> ItemLog? {
    callersLocal.flatMap { local in logs.first { $0.source == local.name } }
  }
}

extension TableBlueprint {
  /// Rows may offer edits or moves: as far as the definition tells without looking at any item.
  var offersEdits: Bool {
    let (can, edits) = (definition.can, definition.edits)
    let isLocal = local != nil || otherLocals.contains { $0.name == definition.source }
    func mayHold(_ rule: PermissionsDefinition.Rule, _ whereEditable: Bool) -> Bool {
      switch rule {
      case .constant(let holds): holds
      case .expression: true
      case .whereEditable: whereEditable
      }
    }
    return mayHold(can.move, isLocal || edits.move != nil)
      || mayHold(can.edit, isLocal || [edits.patch, edits.delete, edits.replace].contains { $0 != nil })
  }
}

extension TableDefinition {
  /// Its edits or actions are sent to an upstream.
  var changesUpstreams: Bool { !actions.isEmpty || !edits.requests.isEmpty }

  /// Its own source, those of its sections and those of its lookups.
  var sourceNames: [String] {
    let ofSections: [String] =
      switch sections {
      case .single(let section): [section.source].compactMap(\.self)
      case .list(let sections, firstMatch: _): sections.compactMap(\.source)
      case .groups: []
      }
    return [source] + ofSections + lookups.map(\.source)
  }
}

/// An upstream source of a table.
struct TableUpstream: Sendable {
  let name: String
  /// The same where the same is asked, as often (``HandoverDigests/sources``).
  let digest: String
  let asked: AskedUpstream

  var definition: UpstreamDefinition { asked.definition }

  init(name: String, definition: UpstreamDefinition, digest: String) {
    (self.name, self.digest, asked) = (name, digest, AskedUpstream(definition))
  }
}

/// An upstream's definition, once for all tables that ask it: it is long, and families have many members.
final class AskedUpstream: Sendable {
  let definition: UpstreamDefinition

  init(_ definition: UpstreamDefinition) { self.definition = definition }
}

/// Why a service can't start, or go on with another definition.
package struct StartError: Error, CustomStringConvertible {
  package var description: String
}
