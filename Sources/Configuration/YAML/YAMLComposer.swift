import Yams

/// Yams's nodes → ours: bounded, merge keys merged, repeated keys named.
struct YAMLComposer {
  let source: SourceText
  /// The first characters that exchanged keys had (see ``YAMLReader``).
  let repeated: [Unicode.Scalar: Unicode.Scalar]
  var problems: [YAMLProblem] = []
  private var nodes = 0

  init(source: SourceText, repeated: [Unicode.Scalar: Unicode.Scalar]) {
    self.source = source
    self.repeated = repeated
  }

  /// Nil where a bound is passed: `problems` says which.
  mutating func compose(_ node: Node, depth: Int = 0) -> YAMLNode? {
    let place = node.mark.map(TextPosition.init) ?? .start
    nodes += 1
    guard depth <= YAMLReader.maximumDepth, nodes <= YAMLReader.maximumNodes else {
      if problems.last?.message.hasPrefix("too ") != true {
        let deep = depth > YAMLReader.maximumDepth
        problems.append(
          YAMLProblem(
            place: place,
            message: deep ? "too deep a nesting" : "too many values, all aliases followed",
            suggestion: deep
              ? "at most \(YAMLReader.maximumDepth) levels are read"
              : "at most \(YAMLReader.maximumNodes) are read"
          )
        )
      }
      return nil
    }
    switch node {
    case .scalar(let scalar): return YAMLNode(content: .scalar(self.scalar(scalar, at: place)), place: place)
    case .sequence(let sequence):
      var elements: [YAMLNode] = []
      for element in sequence {
        guard let element = compose(element, depth: depth + 1) else { return nil }
        elements.append(element)
      }
      return YAMLNode(content: .sequence(elements), place: place)
    case .mapping(let mapping):
      return entries(of: mapping, depth: depth).map { YAMLNode(content: .mapping($0), place: place) }
    case .alias:
      problems.append(YAMLProblem(place: place, message: "an alias of nothing"))
      return nil
    }
  }

  private func scalar(_ scalar: Node.Scalar, at place: TextPosition) -> YAMLScalar {
    let inQuotes = scalar.style == .doubleQuoted || scalar.style == .singleQuoted
    let start = inQuotes ? TextPosition(line: place.line, column: place.column + 1) : place
    let isPlain = scalar.style == .plain && scalar.tag.description.isEmpty
    let isVerbatim = scalar.style != .literal && scalar.style != .folded && source.stands(scalar.string, at: start)
    let rest = isPlain && isVerbatim ? source.rest(from: start).dropFirst(scalar.string.unicodeScalars.count) : []
    let comment = rest.drop { $0 == " " }
    let isCut = comment.first == "#" && comment.dropFirst().first.map { $0 != " " && $0 != "#" } == true
    return YAMLScalar(
      text: scalar.string,
      isPlain: isPlain,
      verbatimStart: isVerbatim ? start : nil,
      isCut: isCut
    )
  }

  private mutating func entries(of mapping: Node.Mapping, depth: Int) -> [YAMLEntry]? {
    var own: [YAMLEntry] = []
    var merged: [YAMLEntry] = []
    var mergesAlready = false
    for (key, value) in mapping {
      let place = key.mark.map(TextPosition.init) ?? .start
      guard case .scalar(let scalar) = key else {
        problems.append(YAMLProblem(place: place, message: "a key that is no text", suggestion: "write a plain name"))
        continue
      }
      guard let value = compose(value, depth: depth + 1) else { return nil }
      let name = original(scalar.string)
      guard name == "<<", scalar.style == .plain else {
        own.append(YAMLEntry(key: Located(value: name, place: place), value: value))
        continue
      }
      merged += self.merged(from: value)
      if mergesAlready {
        problems.append(
          YAMLProblem(
            place: place,
            message: "the key `<<` stands twice in this mapping",
            suggestion: "merge both by one: `<<: [*one, *two]`"
          )
        )
      }
      mergesAlready = true
    }
    return withoutRepetitions(own) + withoutShadowed(merged, by: own)
  }

  private func original(_ key: String) -> String {
    guard let first = key.unicodeScalars.first, let character = repeated[first] else { return key }
    return String(character) + String(String.UnicodeScalarView(key.unicodeScalars.dropFirst()))
  }

  private mutating func withoutRepetitions(_ entries: [YAMLEntry]) -> [YAMLEntry] {
    var first: [String: TextPosition] = [:]
    return entries.filter { entry in
      guard let earlier = first.updateValue(entry.key.place, forKey: entry.key.value) else { return true }
      first[entry.key.value] = earlier
      problems.append(
        YAMLProblem(
          place: entry.key.place,
          message: "the key \(excerpt(entry.key.value)) stands twice in this mapping",
          suggestion: "keep this one or the one in line \(earlier.line)"
        )
      )
      return false
    }
  }

  /// The entries of `<<: *one` or `<<: [*one, *two]`; of several, the first has the say (YAML's merge type).
  private mutating func merged(from node: YAMLNode) -> [YAMLEntry] {
    switch node.content {
    case .mapping(let entries): return entries
    case .sequence(let nodes): return nodes.flatMap { merged(from: $0) }
    case .scalar:
      problems.append(
        YAMLProblem(
          place: node.place,
          message: "'<<' merges mappings, and this is \(node.seen)",
          suggestion: "write `<<: *anchor`"
        )
      )
      return []
    }
  }

  private func withoutShadowed(_ merged: [YAMLEntry], by own: [YAMLEntry]) -> [YAMLEntry] {
    var taken = Set(own.map(\.key.value))
    return merged.filter { taken.insert($0.key.value).inserted }
  }
}
