/// The sources of a table whose last answer it has, so that they may go on being asked where they are when another
/// configuration comes: what they say next means as much to it as it did before.
struct AnsweredSources: Sendable {
  private var answered: Set<String> = []
  private var silent: Set<String> = []

  /// An answer that could not be mapped may be mapped otherwise now, and is gone.
  mutating func note(_ source: String, _ input: SourceInput) {
    guard input.unmappable == nil else { return }
    if input.content == nil { silent.insert(source) } else { answered.insert(source) }
  }

  func has(_ source: PolledSource) -> Bool {
    answered.contains(source.name) || silent.contains(source.name) && !source.hasBeenHeard
  }
}
