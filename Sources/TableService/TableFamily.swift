import Definitions
import Digests
import Dispatch
import Synchronization
import TableModel
import Upstream

/// A table with parameters, or one per caller: members are made by their first reader, polled while someone reads
/// them, then frozen, and later dropped.
final class TableFamily: Sendable {
  /// What tells members apart. Forwarded header fields are in it as a keyed hash alone.
  private struct Key: Hashable {
    var parameters: [TableReference.Parameter]
    var caller: [UInt8]
  }

  private struct Member {
    var table: LiveTable
    /// What its polls send on. In memory alone: never stored, never logged.
    var forwarded: ForwardedFields
    var lastRead: ContinuousClock.Instant
    var isFrozen = false
    /// Told of a change while it was frozen.
    var isOutdated = false

    /// Whose place another may take: those that nobody waits for before the others, those that the upstream refuses
    /// before those that it answers, then the least recently read.
    static func leavesBefore(_ one: Member, _ other: Member) -> Bool {
      let (mine, theirs) = (one.table.waiterCount > 0, other.table.waiterCount > 0)
      guard mine == theirs else { return theirs }
      let (mineRefused, theirsRefused) = (one.table.refusal != nil, other.table.refusal != nil)
      guard mineRefused == theirsRefused else { return mineRefused }
      return one.lastRead < other.lastRead
    }
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
  private let secret = (0..<SHA256.byteCount).map { _ in UInt8.random(in: .min ... .max) }

  init(_ context: ServiceContext) { self.context = context }

  /// Goes on with a definition. Members that it has too keep their versions, rows and waiters.
  func configure(_ plan: TablePlan) {
    let (kept, dropped) = contents.withLock { contents in
      let before = contents.plan?.definition
      contents.plan = plan
      contents.patterns = [:]
      for parameter in plan.definition.parameters {
        contents.patterns[parameter.name] = try? Regex(parameter.pattern)
      }
      contents.sweeper?.cancel()
      contents.sweeper = nil
      let isSameKey =
        before?.forward == plan.definition.forward
        && before?.parameters.map(\.name).sorted() == plan.definition.parameters.map(\.name).sorted()
      let patterns = contents.patterns
      let members = contents.members
      contents.members = members.filter { key, _ in
        isSameKey && key.parameters.allSatisfy { Self.matches($0.value, patterns[$0.name]) }
      }
      // They are polled again for a while, and frozen again where nobody reads them.
      for (key, member) in contents.members {
        contents.members[key]?.isFrozen = false
        member.table.thaw()
      }
      return (Array(contents.members.values), members.filter { contents.members[$0.key] == nil }.map(\.value))
    }
    for member in dropped { member.table.retire() }
    for member in kept { member.table.reconfigure(member: plan, forwarding: member.forwarded) }
  }

  private static func matches(_ value: String, _ pattern: Regex<AnyRegexOutput>?) -> Bool {
    guard let pattern, value.utf8.count <= 256 else { return false }
    return (try? pattern.wholeMatch(in: value)) != nil
  }

  /// Whether the upstream judges its callers' own credentials.
  var forwardsCredentials: Bool {
    contents.withLock { $0.plan?.definition.forward.contains { $0.lowercased() == "authorization" } ?? false }
  }

  /// Fetches a source now, for all members that are polled; for the others when they are read again.
  func refresh(source name: String) {
    let tables = contents.withLock { contents in
      for (key, member) in contents.members where member.isFrozen { contents.members[key]?.isOutdated = true }
      return contents.members.values.filter { !$0.isFrozen }.map(\.table)
    }
    for table in tables {
      for source in table.sources where source.name == name { source.refresh {} }
    }
  }

  // MARK: Members

  func member(_ reference: TableReference, _ caller: CallerFields) throws(ServiceError) -> LiveTable {
    guard let plan = contents.withLock({ $0.plan }) else { throw .notFound("There is no table `\(reference.name)`.") }
    let parameters = try values(of: reference, plan)
    let forwarded = caller.forwarded(by: plan.definition.forward)
    let key = Key(parameters: parameters, caller: hash(forwarded))
    let now = ContinuousClock.now
    if let known = contents.withLock({ contents -> LiveTable? in
      guard let known = contents.members[key] else { return nil }
      contents.members[key]?.lastRead = now
      contents.members[key]?.isFrozen = false
      contents.members[key]?.isOutdated = false
      if known.isFrozen { thaw(known) }
      return known.table
    }) {
      return known
    }
    let full = TableReference(name: reference.name, parameters: parameters)
    let table = LiveTable(member: full, of: plan, forwarding: forwarded, context: context)
    let (kept, displaced) = contents.withLock { contents in
      // Someone else may have made it in the meantime.
      if let other = contents.members[key] { return (other.table, nil as LiveTable?) }
      contents.members[key] = Member(table: table, forwarded: forwarded, lastRead: now)
      guard contents.members.count > plan.definition.instances.maximum else { return (table, nil) }
      let oldest = contents.members.filter { $0.key != key }.min { Member.leavesBefore($0.value, $1.value) }
      return (table, oldest.flatMap { contents.members.removeValue(forKey: $0.key)?.table })
    }
    displaced?.retire()
    if kept === table { for source in table.sources { source.start() } } else { table.retire() }
    return kept
  }

  /// Polls a frozen member again; one that is a caller's own at once, since its readers wait for that.
  private func thaw(_ member: Member) {
    member.table.thaw()
    for source in member.table.sources {
      source.resume()
      if member.table.isPrivate || member.isOutdated { source.refresh {} }
    }
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
    for (index, given) in reference.parameters.enumerated().dropFirst()
    where given.name == reference.parameters[index - 1].name {
      throw .malformed("The parameter `\(given.name)` stands twice.", field: given.name)
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
      guard Self.matches(value, patterns[parameter.name]) else {
        throw .malformed(
          "The parameter `\(parameter.name)` does not match its pattern `\(parameter.pattern)`.",
          field: parameter.name
        )
      }
      values.append(TableReference.Parameter(name: parameter.name, value: value))
    }
    return values.sorted { $0.name < $1.name }
  }

  private func hash(_ forwarded: ForwardedFields) -> [UInt8] {
    let named = forwarded.fields.map { "\($0.name.lowercased())\u{0}\($0.value)\u{0}" }
    return HMACSHA256.code(for: Array(named.joined().utf8), key: secret)
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

  /// Freezing and thawing happen under the lock: a reader who comes in between would leave a member that counts as
  /// polled and is not.
  private func sweep() {
    let now = ContinuousClock.now
    let dropped = contents.withLock { contents -> [LiveTable] in
      guard let limits = contents.plan?.definition.instances else { return [] }
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
          member.table.freeze()
          for source in member.table.sources { source.suspend() }
        }
      }
      return dropped
    }
    for table in dropped { table.retire() }
  }

  /// How many members are polled, and how many are not, as nobody reads them.
  var instances: (polled: Int, frozen: Int) {
    contents.withLock { contents in
      let frozen = contents.members.values.count(where: \.isFrozen)
      return (contents.members.count - frozen, frozen)
    }
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
