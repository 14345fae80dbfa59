internal import Synchronization

/// The rows that several tables show of one answer, made once. One for each answer; tables that have got the answer share it.
///
/// `Sendable`: what is made is made under a lock, on which the tables that need it at once wait.
public final class SharedMappings: Sendable {
  struct Contents {
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
  func mapping(
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
