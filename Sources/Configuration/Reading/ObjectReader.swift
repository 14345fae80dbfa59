import FieldValues

/// A mapping as it is read: its keys have been checked.
struct ObjectReader {
  let place: TextPosition
  let reading: Reading
  private let entries: [String: YAMLEntry]

  /// Nil, with a diagnostic, where the node is no mapping. Unknown keys get theirs.
  init?<Keys: ObjectKeys>(_ node: YAMLNode, of type: Keys.Type, reading: Reading) {
    let (noun, keys) = (type.noun, type.keys)
    guard let entries = node.entries else {
      let names = keys.filter(\.isRequired).map(\.name) + keys.filter { !$0.isRequired }.map(\.name)
      reading.error(
        at: node.place,
        "\(noun) is expected here, and this is \(node.seen)",
        "write a mapping with keys such as \(alternatives(names.prefix(3).map { "'\($0)'" }))"
      )
      return nil
    }
    place = node.place
    self.reading = reading
    let known = Set(keys.map(\.name))
    self.entries = Dictionary(entries.map { ($0.key.value, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in entries where known.contains(entry.key.value) {
      reading.keysInUse.insert("\(type.name).\(entry.key.value)")
    }
    for entry in entries where !known.contains(entry.key.value) {
      let near = Nearest.name(to: entry.key.value, among: keys.map(\.name))
      reading.error(
        at: entry.key.place,
        "unknown key \(excerpt(entry.key.value)) in \(noun)",
        near.map { "did you mean '\($0)'?" } ?? "it has \(alternatives(keys.map(\.name)))"
      )
    }
  }

  /// The key's value; nil where it is missing (a diagnostic, if it is required) or wrong (a diagnostic).
  subscript<Value>(_ key: Key<Value>) -> Value? {
    guard let entry = entries[key.name] else {
      if let example = key.example {
        reading.error(at: place, "'\(key.name)' is missing", "write for example `\(key.name): \(example)`")
      }
      return nil
    }
    return reading.within(key.name) { key.reader.read(entry.value, reading) }
  }

  func has<Value>(_ key: Key<Value>) -> Bool { entries[key.name] != nil }

  /// Returns the place of the key; the mapping's own place where it is absent.
  func place<Value>(of key: Key<Value>) -> TextPosition { entries[key.name]?.key.place ?? place }

  func node<Value>(of key: Key<Value>) -> YAMLNode? { entries[key.name]?.value }

  /// Returns the text of a key as it was written, in quotes: what its expressions result in may be a secret.
  func written<Value>(_ key: Key<Value>) -> String { excerpt(node(of: key)?.scalar?.text ?? "") }

  /// The keys of these that are there.
  func present(of names: [String]) -> [String] { names.filter { entries[$0] != nil } }

  /// Sets what the key says, and leaves the default where it says nothing.
  func set<Value>(_ target: inout Value, from key: Key<Value>) {
    if has(key), let value = self[key] { target = value }
  }
}
