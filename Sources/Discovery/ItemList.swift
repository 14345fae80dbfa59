internal import JSON

/// A place in an answer that may be the list of items.
struct ItemList: Sendable {
  /// The expression for `items` in the configuration, without `${}`; nil: the answer itself is the list.
  var expression: String?
  /// The list's path.
  var path: MemberPath
  var kind: Kind
  var items: [JSONValue]
  /// Why it may be the one, or not; more is better.
  var score = 0.0
  /// Nothing but a likeness speaks for it.
  var isGuess = false

  enum Kind: Equatable, Sendable {
    /// An array of objects.
    case objects
    /// An array whose elements have the items under `node` (GraphQL's connections).
    case nodes
    /// An object whose members are the items; what it calls them may be their identity.
    case entries
    /// An array of scalars: identities or URLs of items.
    case identities
    /// An array of scalars that are items themselves.
    case values
  }

  /// For people: `data.items: 30 objects`.
  var description: String {
    let place = path.names.isEmpty ? "the answer itself" : path.description
    return switch kind {
    case .objects: "\(place): \(items.count) objects"
    case .nodes: "\(place): \(items.count) objects under `node`"
    case .entries: "\(place): \(items.count) objects under their names"
    case .identities: "\(place): \(items.count) identities"
    case .values: "\(place): \(items.count) values"
    }
  }

  /// How the same place is read in another answer; nil where it is no list there.
  func items(in body: JSONValue) -> [JSONValue]? {
    guard let value = body[path] else { return nil }
    return switch kind {
    case .objects, .identities, .values: value.elements?.filter { !$0.isNull }
    case .nodes: value.elements?.compactMap { $0["node"] }
    case .entries: value.members?.map(Self.entry)
    }
  }

  static func entry(_ member: JSONValue.Member) -> JSONValue {
    .object([.init(name: "key", value: .string(member.name)), .init(name: "value", value: member.value)])
  }
}

extension ItemList {
  /// All places of an answer that may be its list, the most likely one first.
  ///
  /// - Parameter name: the last word of the URL's path, which lists are often called by.
  /// - Complexity: O(values) down to four members.
  static func candidates(in body: JSONValue, called name: String?) -> [ItemList] {
    var found: [ItemList] = []
    collect(body, MemberPath([]), &found)
    let lists = found.filter { !$0.items.isEmpty }
    if lists.allSatisfy({ $0.kind == .identities }) {
      // A list in the items of a map is a part of them.
      let maps = maps(in: body, MemberPath([])).filter { map in
        lists.allSatisfy { $0.path.names.starts(with: map.path.names) }
      }
      if !maps.isEmpty { found.removeAll { !$0.items.isEmpty } }
      found += maps
    }
    if found.isEmpty { found = values(in: body) }
    for index in found.indices { found[index].score = score(found[index], called: name) }
    // Stable, so that of two as likely the first in the answer counts.
    return found.enumerated().sorted { ($0.element.score, $1.offset) > ($1.element.score, $0.offset) }.map(\.element)
  }

  static let maximumDepth = 4

  private static func collect(_ value: JSONValue, _ path: MemberPath, _ found: inout [ItemList]) {
    switch value {
    case .array(let elements):
      if let list = list(elements, path) { found.append(list) }
    case .object(let members):
      let containers = members.filter { $0.value.members != nil || $0.value.elements != nil }
      if let list = entries(members, path) { found.append(list) }
      guard path.names.count < maximumDepth else { return }
      // In an object with very many members these are items rather than places for lists.
      for member in containers.prefix(200) { collect(member.value, path.appending(member.name), &found) }
    default: return
    }
  }

  private static func list(_ all: [JSONValue], _ path: MemberPath) -> ItemList? {
    let expression = path.names.isEmpty ? nil : path.expression
    if all.isEmpty { return ItemList(expression: expression, path: path, kind: .objects, items: []) }
    // Firebase fills the places of missing numbers with nulls.
    let elements = all.filter { !$0.isNull }
    guard !elements.isEmpty else { return nil }
    let objects = elements.filter { $0.members != nil }
    if objects.count * 10 >= elements.count * 9 {
      let nodes = elements.compactMap { $0["node"] }.filter { $0.members != nil }
      if nodes.count == elements.count, objects.allSatisfy({ ($0.members?.count ?? 0) <= 3 }) {
        return ItemList(expression: "\(path.expression) | map(node)", path: path, kind: .nodes, items: nodes)
      }
      return ItemList(expression: expression, path: path, kind: .objects, items: elements)
    }
    let scalars = elements.allSatisfy { element in
      switch element {
      case .integer, .unsigned: true
      case .string(let text): !text.isEmpty && text.utf8.count <= 200 && !text.contains(" ")
      default: false
      }
    }
    guard scalars, elements.count == all.count, elements.count > 1,
      Set(elements.map { "\($0)" }).count == elements.count
    else { return nil }
    return ItemList(expression: expression, path: path, kind: .identities, items: elements)
  }

  /// Objects under their names: at least three that have most of their members in common, and nothing else beside them.
  private static func entries(_ members: [JSONValue.Member], _ path: MemberPath) -> ItemList? {
    guard members.count >= 3, let first = members.first?.value.members else { return nil }
    let names = Set(first.map(\.name))
    guard names.count >= 2 else { return nil }
    for member in members.dropFirst().prefix(50) {
      guard let others = member.value.members else { return nil }
      let common = others.reduce(0) { $0 + (names.contains($1.name) ? 1 : 0) }
      guard common * 2 >= max(names.count, others.count) else { return nil }
    }
    guard members.allSatisfy({ $0.value.members != nil }) else { return nil }
    let place = path.names.isEmpty ? "$item" : path.expression
    return ItemList(expression: "\(place) | entries", path: path, kind: .entries, items: members.map(entry))
  }

  private static let likely: Set<String> = [
    "data", "items", "results", "records", "value", "values", "features", "rows", "entries", "list", "hits", "objects",
    "documents", "docs", "articles", "posts", "nodes", "edges", "content", "member", "members", "hydra:member",
    "elements",
    "products", "issues", "issue", "orders", "users", "events", "messages", "works", "children", "series",
  ]
  static let unlikely: Set<String> = [
    "errors", "links", "_links", "facets", "facet", "included", "filters", "aggregations", "columns", "schema",
    "warnings", "sort", "tags", "breadcrumbs", "group_by", "breakdown", "suggestions", "related", "expand", "stops",
  ]

  private static func score(_ list: ItemList, called name: String?) -> Double {
    let objects = list.items.prefix(20)
    let width = objects.reduce(0) { $0 + min($1.members?.count ?? 0, 20) }
    var score = Double(min(list.items.count, 50)).squareRoot() + Double(width) / Double(max(objects.count, 1)) / 4
    score -= Double(list.path.names.count) * 0.5
    let last = list.path.last
    if likely.contains(last.lowercased()) || (list.path.names.count == 0 && list.kind == .objects) { score += 3 }
    if unlikely.contains(where: { word in list.path.names.contains { $0.lowercased() == word } }) { score -= 6 }
    if let name, isSame(last, name) { score += 4 }
    switch list.kind {
    case .objects, .nodes: break
    case .entries: score -= 2
    case .identities, .values: score -= 5
    }
    // An empty list proves nothing.
    if list.items.isEmpty { score -= 2 }
    return score
  }

  /// GraphQL's `errors`, which stand in answers of status 200.
  var isOfErrors: Bool { Self.isSame(path.last, "errors") }

  /// `issue` and `issues`, `category` and `categories` are one name.
  static func isSame(_ first: String, _ second: String) -> Bool {
    func stem(_ word: String) -> String {
      let word = word.lowercased().filter { $0.isLetter || $0.isNumber }
      if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
      return word.hasSuffix("s") ? String(word.dropLast()) : word
    }
    return !first.isEmpty && stem(first) == stem(second)
  }
}
