import JSON

/// A way to a value from a root: `user.avatar_url`, `$response.data[0]`.
struct Path: Sendable {
  var root: Root
  var steps: [Step] = []

  enum Root: Sendable, Equatable {
    /// Names without a root.
    case names
    case item, index, key, count, items, response, pages, id, edit, status, cursor, since, parent, locale, caller,
      parameters
    case environment
    /// The item that a lookup of the table found, by the lookup's name.
    case lookup(String)

    /// How it is written after `$`.
    static let named: [(name: String, root: Root)] = [
      ("item", .item), ("index", .index), ("key", .key), ("count", .count), ("items", .items),
      ("response", .response), ("pages", .pages), ("params", .parameters), ("locale", .locale), ("caller", .caller),
      ("id", .id), ("edit", .edit), ("status", .status), ("cursor", .cursor), ("since", .since),
      ("parent", .parent),
    ]

    /// All that there are, for messages.
    static let allNames = (named.map { "$\($0.name)" } + ["env.NAME"]).joined(separator: ", ")
  }

  enum Step: Sendable {
    case name(JSONKey)
    case index(Int)
  }

  var dependencies: Dependencies {
    switch root {
    case .names, .item: .item
    case .index: .index
    case .key: .key
    case .count: .count
    case .items: .items
    case .response: .response
    case .pages: .pages
    case .id: .id
    case .edit: .edit
    case .status: .status
    case .cursor: .cursor
    case .since: .since
    case .parent: .parent
    case .locale: .locale
    case .caller: .caller
    case .parameters: .parameters
    case .environment: .environment
    case .lookup: .lookups
    }
  }

  /// The members of the item that the path reads: up to a position, whose list is read as a whole.
  var itemSelection: MemberSelection {
    guard root == .names || root == .item else { return MemberSelection() }
    var names: [String] = []
    for step in steps {
      guard case .name(let key) = step else { break }
      names.append(key.name)
    }
    return MemberSelection(path: names)
  }

  var documentPath: JSONPath? {
    guard root == .names || root == .item || root == .response else { return nil }
    return steps.map { step in
      switch step {
      case .name(let key): .name(key.name)
      case .index(let index): .index(index)
      }
    }
  }

  /// Charged with what it passes. Nil where the path leads nowhere.
  func charged(in scope: Scope) throws(EvaluationError) -> Value? {
    switch root {
    case .names: try walk(from: scope.names, scope)
    case .item: try walk(from: scope.item, scope)
    case .response: try walk(from: scope.response, scope)
    case .key: try walk(from: scope.key, scope)
    case .id: try walk(from: scope.id, scope)
    case .edit:
      if let place = try placeOfEdit(in: scope) { place } else { try walk(from: scope.edit, scope) }
    case .index: try walk(from: scope.index.map { .integer(Int64($0)) } ?? .null, scope)
    case .count: try walk(from: scope.count.map { .integer(Int64($0)) } ?? .null, scope)
    case .items: try walk(from: scope.items, scope)
    case .pages: try walk(from: scope.pages, scope)
    case .status: try walk(from: scope.status.map { .integer(Int64($0)) } ?? .null, scope)
    case .cursor: try walk(from: scope.cursor, scope)
    case .since: try walk(from: scope.since, scope)
    case .parent: try walk(from: scope.parent, scope)
    case .locale: try walk(from: scope.locale.map { .string($0) } ?? .null, scope)
    case .caller: try walk(from: scope.caller, scope)
    case .lookup(let name): try walk(from: scope.lookups[name] ?? .null, scope)
    case .parameters: lookUp(in: scope.parameters)
    case .environment: lookUp(in: scope.environment)
    }
  }

  @inline(__always)
  private func walk(from start: Value, _ scope: Scope) throws(EvaluationError) -> Value? {
    // Only a part of an item may have been parsed: see `CompiledPath.value(in:)`.
    let isOfItem = root == .names ? !scope.namesAreElements : root == .item && !scope.isInList
    var value = start
    for step in steps {
      let next: Value?
      switch step {
      case .name(let key):
        if isOfItem, case .json(let view) = value {
          next = view[key].map { Value($0) }
        } else {
          next = try value.member(key, scope)
        }
      case .index(let index):
        try scope.charge(value.stepsToElement(at: index))
        next = value[index]
      }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// `$edit.at` and the like: where the edit goes, before what the body has under that name.
  private func placeOfEdit(in scope: Scope) throws(EvaluationError) -> Value? {
    guard case .name(let key)? = steps.first, let place = scope.place[key], !place.isNull else { return nil }
    return try Path(root: .names, steps: Array(steps.dropFirst())).walk(from: place, scope)
  }

  private func lookUp(in values: [String: String]) -> Value? {
    guard let first = steps.first else {
      return .object(values.sorted { $0.key < $1.key }.map { Value.Member(name: $0.key, value: .string($0.value)) })
    }
    guard steps.count == 1, case .name(let key) = first else { return nil }
    return values[key.name].map { .string($0) }
  }
}

extension Path {
  var memberNames: [String]? {
    guard root == .names || root == .item, !steps.isEmpty else { return nil }
    var names: [String] = []
    for step in steps {
      guard case .name(let key) = step else { return nil }
      names.append(key.name)
    }
    return names
  }

  var outline: String {
    steps.reduce("\(root)") { text, step in
      switch step {
      case .name(let key): "\(text)\n.\(key.name)"
      case .index(let index): "\(text)\n[\(index)]"
      }
    }
  }
}
