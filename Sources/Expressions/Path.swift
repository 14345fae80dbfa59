import JSON

/// A way to a value from a root: `user.avatar_url`, `$response.data[0]`.
struct Path: Sendable {
  var root: Root
  var steps: [Step] = []

  enum Root: Sendable, Equatable {
    /// Names without a root.
    case names
    case item, index, key, count, items, response, pages, id, edit, status, cursor, locale, caller, parameters
    case environment
    /// The item that a lookup of the table found, by the lookup's name.
    case lookup(String)

    /// How it is written after `$`.
    static let named: [(name: String, root: Root)] = [
      ("item", .item), ("index", .index), ("key", .key), ("count", .count), ("items", .items),
      ("response", .response), ("pages", .pages), ("params", .parameters), ("locale", .locale), ("caller", .caller),
      ("id", .id), ("edit", .edit), ("status", .status), ("cursor", .cursor),
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
    case .locale: .locale
    case .caller: .caller
    case .parameters: .parameters
    case .environment: .environment
    case .lookup: .lookups
    }
  }

  /// What it reads of the item: up to where a position is asked for, whose list is read as a whole.
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

  /// Null where the path leads nowhere.
  func value(in scope: Scope) -> Value { find(in: scope) ?? .null }

  /// Nil where the path leads nowhere.
  func find(in scope: Scope) -> Value? {
    switch root {
    case .names: walk(from: scope.names)
    case .item: walk(from: scope.item)
    case .response: walk(from: scope.response)
    case .key: walk(from: scope.key)
    case .id: walk(from: scope.id)
    case .edit: placeOfEdit(in: scope) ?? walk(from: scope.edit)
    case .index: walk(from: scope.index.map { .integer(Int64($0)) } ?? .null)
    case .count: walk(from: scope.count.map { .integer(Int64($0)) } ?? .null)
    case .items: walk(from: scope.items)
    case .pages: walk(from: scope.pages)
    case .status: walk(from: scope.status.map { .integer(Int64($0)) } ?? .null)
    case .cursor: walk(from: scope.cursor)
    case .locale: walk(from: scope.locale.map { .string($0) } ?? .null)
    case .caller: walk(from: scope.caller)
    case .lookup(let name): walk(from: scope.lookups[name] ?? .null)
    case .parameters: lookUp(in: scope.parameters)
    case .environment: lookUp(in: scope.environment)
    }
  }

  @inline(__always)
  private func walk(from start: Value) -> Value? {
    guard case .json(var view) = start else { return walkSlowly(from: start) }
    for step in steps {
      let next =
        switch step {
        case .name(let key): view[key]
        case .index(let index): view[index]
        }
      guard let next else { return nil }
      view = next
    }
    return Value(view)
  }

  private func walkSlowly(from start: Value) -> Value? {
    var value = start
    for step in steps {
      let next =
        switch step {
        case .name(let key): value[key]
        case .index(let index): value[index]
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// `$edit.at` and the like: where the edit goes, before what the body has under that name.
  private func placeOfEdit(in scope: Scope) -> Value? {
    guard case .name(let key)? = steps.first, let place = scope.place[key], !place.isNull else { return nil }
    return Path(root: .names, steps: Array(steps.dropFirst())).walk(from: place)
  }

  private func lookUp(in values: [String: String]) -> Value? {
    guard let first = steps.first else {
      return .object(values.sorted { $0.key < $1.key }.map { Value.Member(name: $0.key, value: .string($0.value)) })
    }
    guard steps.count == 1, case .name(let key) = first else { return nil }
    return values[key.name].map { .string($0) }
  }
}
