import Crypto
import Definitions
import Dispatch
import Synchronization
import TableModel

/// A table with parameters, or one per caller: members are made by their first reader, polled while someone reads
/// them, then frozen, and later dropped.
final class TableFamily: Sendable {
  /// What tells members apart. Forwarded header fields are in it as a keyed hash alone: they are never kept.
  private struct Key: Hashable {
    var parameters: [TableReference.Parameter]
    var caller: [UInt8]
  }

  private struct Member {
    var table: LiveTable
    var lastRead: ContinuousClock.Instant
    var isFrozen = false
  }

  private struct Contents {
    var plan: TablePlan?
    var patterns: [String: Regex<AnyRegexOutput>] = [:]
    var members: [Key: Member] = [:]
    var sweeper: (any DispatchSourceTimer)?
  }
  private let contents = Mutex(Contents())
  private let context: ServiceContext
  /// Of the hashes of forwarded fields: new in every process.
  private let secret = SymmetricKey(size: .bits256)

  init(_ context: ServiceContext) { self.context = context }

  func configure(_ plan: TablePlan) {
    contents.withLock { contents in
      contents.plan = plan
      contents.patterns = [:]
      for parameter in plan.definition.parameters {
        contents.patterns[parameter.name] = try? Regex(parameter.pattern)
      }
      // Members are made anew for the next reader, whose cursor is of another epoch then.
      for member in contents.members.values { member.table.remove() }
      contents.members = [:]
    }
  }

  // MARK: Members

  func member(_ reference: TableReference, _ caller: CallerFields) throws(ServiceError) -> LiveTable {
    guard let plan = contents.withLock({ $0.plan }) else { throw .notFound("There is no table `\(reference.name)`.") }
    let parameters = try values(of: reference, plan)
    let forwarded = caller.values(of: plan.definition.forward)
    let key = Key(parameters: parameters, caller: hash(forwarded))
    let now = ContinuousClock.now
    if let known = contents.withLock({ contents in
      contents.members[key]?.lastRead = now
      let wasFrozen = contents.members[key]?.isFrozen ?? false
      contents.members[key]?.isFrozen = false
      return contents.members[key].map { ($0.table, wasFrozen) }
    }) {
      if known.1 { for source in known.0.sources { source.resume() } }
      return known.0
    }
    let full = TableReference(name: reference.name, parameters: parameters)
    let table = LiveTable(member: full, of: plan, forwarding: forwarded, context: context)
    let (kept, displaced) = contents.withLock { contents in
      // Someone else may have made it in the meantime.
      if let other = contents.members[key] { return (other.table, nil as LiveTable?) }
      contents.members[key] = Member(table: table, lastRead: now)
      guard contents.members.count > plan.definition.instances.maximum else { return (table, nil) }
      let oldest = contents.members.filter { $0.key != key }.min {
        ($0.value.table.waiterCount > 0 ? 1 : 0, $0.value.lastRead) < (
          $1.value.table.waiterCount > 0 ? 1 : 0, $1.value.lastRead
        )
      }
      return (table, oldest.flatMap { contents.members.removeValue(forKey: $0.key)?.table })
    }
    displaced?.retire()
    if kept === table { for source in table.sources { source.start() } } else { table.retire() }
    return kept
  }

  /// The parameters' values in the order of their names; each is there and matches its pattern.
  private func values(of reference: TableReference, _ plan: TablePlan) throws(ServiceError) -> [TableReference
    .Parameter]
  {
    let declared = plan.definition.parameters
    if let unknown = reference.parameters.first(where: { given in !declared.contains { $0.name == given.name } }) {
      let names = declared.map { "`\($0.name)`" }.joined(separator: ", ")
      throw .malformed(
        "The table `\(reference.name)` has no parameter `\(unknown.name)`\(names.isEmpty ? "" : ": \(names) are its own").",
        field: unknown.name
      )
    }
    let patterns = contents.withLock { $0.patterns }
    var values: [TableReference.Parameter] = []
    for parameter in declared {
      guard
        let value = reference.parameters.first(where: { $0.name == parameter.name })?.value ?? parameter.defaultValue
      else {
        throw .malformed(
          "The parameter `\(parameter.name)` is missing: `\(reference.name);\(parameter.name)=…`, matching `\(parameter.pattern)`.",
          field: parameter.name
        )
      }
      guard value.utf8.count <= 256, let pattern = patterns[parameter.name], (try? pattern.wholeMatch(in: value)) != nil
      else {
        throw .malformed(
          "The parameter `\(parameter.name)` does not match its pattern `\(parameter.pattern)`.",
          field: parameter.name
        )
      }
      values.append(TableReference.Parameter(name: parameter.name, value: value))
    }
    return values.sorted { $0.name < $1.name }
  }

  private func hash(_ fields: [(name: String, value: String)]) -> [UInt8] {
    var authentication = HMAC<SHA256>(key: secret)
    for field in fields {
      authentication.update(data: Array("\(field.name.lowercased())\u{0}\(field.value)\u{0}".utf8))
    }
    return Array(authentication.finalize())
  }

  // MARK: Idle members

  func startSweeping() {
    contents.withLock { contents in
      guard contents.sweeper == nil, let plan = contents.plan else { return }
      let timer = DispatchSource.makeTimerSource(queue: context.background)
      let shortest = min(plan.definition.instances.freezeAfter, plan.definition.instances.dropAfter)
      let interval = max(Double(shortest.components.seconds) / 4, 0.25)
      timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
      timer.setEventHandler { [weak self] in self?.sweep() }
      timer.resume()
      contents.sweeper = timer
    }
  }

  private func sweep() {
    let now = ContinuousClock.now
    let (frozen, dropped) = contents.withLock { contents in
      guard let limits = contents.plan?.definition.instances else { return ([] as [LiveTable], [] as [LiveTable]) }
      var frozen: [LiveTable] = []
      var dropped: [LiveTable] = []
      for (key, member) in contents.members {
        guard member.table.waiterCount == 0 else {
          contents.members[key]?.lastRead = now
          continue
        }
        let idle = now - member.lastRead
        if idle >= limits.dropAfter {
          contents.members[key] = nil
          dropped.append(member.table)
        } else if idle >= limits.freezeAfter, !member.isFrozen {
          contents.members[key]?.isFrozen = true
          frozen.append(member.table)
        }
      }
      return (frozen, dropped)
    }
    for table in frozen { for source in table.sources { source.suspend() } }
    for table in dropped { table.retire() }
  }

  func removeAll() {
    stop()
    let tables = contents.withLock { contents in
      defer { contents.members = [:] }
      return contents.members.values.map(\.table)
    }
    for table in tables { table.remove() }
  }

  func stop() {
    let (timer, tables) = contents.withLock { contents in
      defer { contents.sweeper = nil }
      return (contents.sweeper, contents.members.values.map(\.table))
    }
    timer?.cancel()
    for table in tables { for source in table.sources { source.stop() } }
  }
}
