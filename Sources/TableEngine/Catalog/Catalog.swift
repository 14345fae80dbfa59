package import Definitions
import Dispatch
import Queues
import TableModel
import TableStore

/// The tables of one configuration: those that always live, and families whose members come with their readers. A
/// value: another configuration makes another catalog, whose tables may be the same.
package final class Catalog: Sendable {
  /// The tables that always live, in the configuration's order.
  package let tables: [LiveTable]
  /// In the configuration's order.
  package let families: [TableFamily]
  let tablesByName: [String: LiveTable]
  let familiesByName: [String: TableFamily]
  /// The upstreams of the tables that always live; members of families may read the same.
  let sources: [String: PolledSource]
  /// By source, the tables that always live and show it.
  private let readers: [String: [LiveTable]]
  /// The items of the service's own sources.
  let logs: ItemLogs
  /// The definition that it was made of.
  package let definition: ServiceDefinition
  /// By which replicas know that they have the same.
  let digests: HandoverDigests

  init(
    _ definition: ServiceDefinition,
    _ digests: HandoverDigests,
    tables: [LiveTable],
    families: [TableFamily],
    logs: ItemLogs
  ) {
    (self.definition, self.tables, self.families) = (definition, tables, families)
    (self.digests, self.logs) = (digests, logs)
    sources = Dictionary(tables.flatMap(\.sources).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    readers = Dictionary(grouping: tables.flatMap { table in table.sources.map { ($0.name, table) } }) { $0.0 }
      .mapValues { $0.map(\.1) }
    tablesByName = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    familiesByName = Dictionary(families.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the writer of a stored name: that of a table, or of the table in another language.
  func writer(of storedName: String) -> TableWriter? {
    let name = StoredName.parts(of: storedName).table
    return (tablesByName[name] ?? member(named: name)?.table)?.all.map(\.writer)
      .first { $0.isStored && $0.storedName == storedName }
  }

  /// A member that replicas share, if it is here.
  func member(named name: String) -> (family: TableFamily, table: LiveTable)? {
    family(of: name).flatMap { family, reference in family.sharedMember(reference).map { (family, $0) } }
  }

  /// The family to which what replicas call so would belong.
  func family(of member: String) -> (family: TableFamily, reference: TableReference)? {
    guard let reference = TableReference(segment: member), !reference.parameters.isEmpty, reference.canonical == member,
      let family = familiesByName[reference.name]
    else { return nil }
    return (family, reference)
  }

  /// Returns whether there is a table or a family of this name.
  package func has(_ name: String) -> Bool { tablesByName[name] != nil || familiesByName[name] != nil }

  /// The table that a request names; a family's member is made if it is not there yet.
  ///
  /// - Parameters:
  ///   - locale: the language that it is asked for in: one of the configuration's, or nil.
  ///   - budget: how many members this request may still have made.
  package func table(
    _ reference: TableReference,
    in locale: String?,
    for caller: @autoclosure () -> CallerFields,
    _ budget: inout MemberBudget
  ) throws(TableError) -> LiveTable {
    try table(reference, for: caller(), &budget).localized(locale)
  }

  private func table(
    _ reference: TableReference,
    for caller: @autoclosure () -> CallerFields,
    _ budget: inout MemberBudget
  ) throws(TableError) -> LiveTable {
    // By the bytes: `String` holds names equal that are written differently, and what a member is called all are told.
    if let table = tablesByName[reference.name], table.name.utf8.elementsEqual(reference.name.utf8) {
      guard reference.parameters.isEmpty else {
        throw .malformed("The table `\(reference.name)` has no parameters.", field: reference.parameters[0].name)
      }
      return table
    }
    guard let family = familiesByName[reference.name], family.name.utf8.elementsEqual(reference.name.utf8) else {
      throw .notFound("There is no table `\(reference.name)`: /v1/tables lists those there are.")
    }
    return try family.member(reference, caller(), &budget)
  }

  /// Asks the sources of the tables that always live, in turn.
  func startPolling() {
    for table in tables { for source in table.sources { source.begin(table, isUnheard: true) } }
  }

  /// Goes on where another replica has asked the sources until now.
  ///
  /// - Parameters:
  ///   - term: of the lease under which this one does.
  ///   - left: what that one has left.
  func takeOverPolling(under term: UInt64, _ left: Handover?) {
    for (name, source) in sources {
      let entry = left?.left(name, for: digests)
      source.takeOver(for: readers[name] ?? [], under: term) { $0(entry) }
    }
  }

  /// Gives the state that the next leader needs. `completion` is called on `queue`.
  func handOver(on queue: WorkQueue, _ completion: @escaping @Sendable (Handover) -> Void) {
    Handover.gather(sources.map { ($1, readers[$0] ?? []) }, digests, on: queue, completion)
  }

  /// Another replica asks the sources now, perhaps for a while.
  func pausePolling() {
    for table in tables { for source in table.sources { source.pause(table) } }
    for family in families { family.pause() }
  }

  /// Nothing is asked any more. What the tables have been told of is still known: it is left to the next leader.
  func stopSources() {
    for source in sources.values { source.stop() }
    for family in families { family.stopSources() }
  }
}

/// How many members of families one request may have made: each is a fetch with the service's credentials.
package struct MemberBudget: Sendable {
  private var left: Int

  package init(_ members: Int = 16) { left = members }

  mutating func spend() throws(TableError) {
    guard left > 0 else {
      throw TableError(
        .tooMany,
        detail: "This request names too many tables that nobody has read before: ask for the others a moment later.",
        retryAfter: .seconds(1)
      )
    }
    left -= 1
  }
}
