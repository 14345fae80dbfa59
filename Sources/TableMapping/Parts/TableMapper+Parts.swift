internal import Definitions
internal import Expressions
internal import Synchronization
internal import TableModel

/// The rows that several tables show of one answer, made once. One for each answer; tables that have got the answer share it.
///
/// `Sendable`: what is made is made under a lock, on which the tables that need it at once wait.
public final class SharedMappings: Sendable {
  fileprivate struct Contents {
    var former: [PartGroup: CommonMapping]
    var made: [PartGroup: CommonMapping?] = [:]
    /// How many have asked for each, or share it without having asked.
    var readers: [PartGroup: Int] = [:]
  }

  private let contents: Mutex<Contents>

  /// - Parameter previous: of the answer before. What nobody asked for since is forgotten.
  public init(after previous: SharedMappings? = nil) {
    contents = Mutex(Contents(former: previous?.contents.withLock { $0.made.compactMapValues(\.self) } ?? [:]))
  }

  /// The mapping that a group has in common, made where there is none yet; nil where the answer can't be mapped.
  fileprivate func mapping(
    of group: PartGroup,
    _ contents: [String: SourceContent]
  ) -> (mapping: CommonMapping, readers: Int)? {
    self.contents.withLock { state in
      guard let mapping = state.mapping(of: group, contents, after: nil) else { return nil }
      state.readers[group, default: 0] += 1
      return (mapping, state.readers[group] ?? 1)
    }
  }

  /// The same, if it is made.
  func mapping(of group: PartGroup) -> CommonMapping? { contents.withLock { $0.made[group] ?? nil } }

  /// The same for a number of members at once.
  ///
  /// - Parameter previous: what it follows, where no answer before this one was mapped.
  func mapping(
    of group: PartGroup,
    _ contents: [String: SourceContent],
    after previous: CommonMapping,
    memberCount: Int
  ) -> CommonMapping? {
    self.contents.withLock { state in
      state.readers[group, default: 0] += memberCount
      return state.mapping(of: group, contents, after: previous)
    }
  }
}

extension SharedMappings.Contents {
  mutating func mapping(
    of group: PartGroup,
    _ contents: [String: SourceContent],
    after previous: CommonMapping?
  ) -> CommonMapping? {
    if let known = made[group] { return known }
    let mapping = CommonMapping(group, contents, after: former.removeValue(forKey: group) ?? previous)
    made[group] = .some(mapping)
    return mapping
  }
}

/// The part of a common mapping that one mapping shows.
struct MappedPart: Sendable {
  let common: CommonMapping
  let selection: PartSelection
  /// The key of the member; nil where all items are to be asked.
  let key: PartIndex.Key?
}

extension MappingResult {
  /// The key of the part that this is; nil where any change of the answer may change it.
  public var partKey: PartKey? {
    guard let part, let key = part.key, part.common.index?.hasAllKeys == true else { return nil }
    return PartKey(group: part.common.group, value: key)
  }

  /// Lets go of the rows that it shares, but not of those that it shows: no item is found in it any more, until it is mapped again.
  public mutating func letGoOfPart() { part = nil }
}

extension MappedPart {
  /// The items that no section of the member takes. As ``MappingResult/unplaced()``.
  func unplaced() -> (count: Int, first: [SkippedItem]) {
    let taken = Set(selection.items.map { Int($0.position) })
    let source = common.group.source
    let places = common.source.items.indices.filter { !taken.contains($0) && !common.source.items[$0].isMalformed }
    return (
      places.count,
      places.prefix(MappingResult.maximumKept).map { place in
        SkippedItem(source: source, index: place, reason: "no section takes it")
      }
    )
  }
}

extension TableMapper {
  /// True if this table's members differ only in the items that their sections take, so that they share rows.
  public var sharesRows: Bool { common != nil }

  /// Maps what the sources have, where the rows of the answer are made once for all tables that have it.
  ///
  /// - Returns: nil where the table or the answer is mapped by itself.
  /// - Complexity: for the first table that has the answer as for a mapping; for each other one O(items shown + items changed).
  func part(
    of contents: [String: SourceContent],
    after result: MappingResult?,
    variables: MappingVariables
  ) -> MappingResult? {
    guard let plan = common, contents.count == 1, let shared = contents.values.first?.shared else { return nil }
    // One for all of a member's mappings.
    let known = result?.part?.common.group
    let group = known.flatMap { $0.plan.plan === plan.plan && $0.variables.locale == variables.locale ? $0 : nil }
    guard
      let (mapping, readers) = shared.mapping(
        of: group ?? PartGroup(plan, variables, maximumBytes: maximumBytes),
        contents
      )
    else { return nil }
    var chooser = PartSelection.Chooser(self.plan, mapping, variables)
    let former = result.flatMap { $0.cache.plan === self.plan && $0.cache.variables == variables ? $0 : nil }
    var part: MappedPart
    var isOther = true
    if let before = former?.part, let turnover = mapping.turnover(since: before.common) {
      var selection = before.selection
      isOther = selection.follow(turnover, &chooser)
      part = MappedPart(common: mapping, selection: selection, key: chooser.key)
    } else if let before = former?.part, before.common === mapping {
      (part, isOther) = (before, false)
    } else {
      part = MappedPart(common: mapping, selection: PartSelection(of: mapping, &chooser), key: chooser.key)
    }
    // Excess is reported by a mapping of the table's own.
    guard !chooser.isExhausted else { return nil }
    var made: MappingResult
    if !isOther, let former, former.skippedItems == 0 {
      made = former
      made.part = part
    } else {
      made = assembled(part, variables, after: former)
    }
    made.title = title(for: variables)
    made.isTruncated = mapping.result.isTruncated
    // Each accounts for its share, by how many had come before it: together they account for more than there is.
    made.byteCount = part.selection.items.count * 64 + mapping.byteCount / readers
    return made
  }

  /// Puts the rows of a part into sections.
  private func assembled(_ part: MappedPart, _ variables: MappingVariables, after last: MappingResult?) -> MappingResult
  {
    let items = part.selection.items.map { part.common.source.items[Int($0.position)] }
    var report = MappingReport([])
    var assembly = SectionAssembly(plan: plan, adding: items)
    let source = plan.sources[0].name
    for (position, choice) in part.selection.items.enumerated() {
      let item = items[position]
      if let failure = choice.failure {
        report.skip(source, at: Int(choice.position), MappedItem.Skip(reason: failure))
        continue
      }
      if let row = item.row {
        let placement = MappedItem.Placement(section: Int(choice.section), row: row, sortKeys: item.sortKeys)
        guard assembly.add(placement, ofItemAt: position) else {
          report.skipDuplicate(source, at: Int(choice.position), row)
          continue
        }
      }
      if let warning = item.details?.warning { report.warn(warning) }
      if let skip = item.details?.skip { report.skip(source, at: Int(choice.position), skip) }
    }
    var arranged = assembly.arranged(in: variables.scope, &report)
    let sections = plan.shown(
      &arranged,
      after: last,
      in: { _ in variables.scope },
      list: { _ in [] },
      &report
    )
    .compactMap(\.self)
    let cache = MappingCache(plan: plan, variables: variables, lookups: [])
    var result = MappingResult(cache: cache, lookup: assembly.lookup)
    (result.sections, result.omittedSections) = (sections, arranged.count - sections.count)
    (result.skippedItems, result.firstSkipped, result.warnings) = (report.skippedItems, report.skipped, report.warnings)
    result.part = part
    return result
  }
}
