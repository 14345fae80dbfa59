import Definitions
import JSON
import TableMapping
import TableModel

/// What the table shows of an edit that the upstream has accepted.
enum LaidEdit {
  /// It shows the edit; with the identity of its row.
  case shown(row: String?)
  /// The answer does not say what came of it: only a fetch can tell.
  case awaitsRefresh(row: String?)
}

extension ForwardingPlan {
  /// Does to the source's content what the upstream has said it did.
  ///
  /// - Parameter answer: the item in the upstream's answer, if there is one.
  func apply(_ answer: [UInt8]?, to content: inout TableContent, named name: String) -> LaidEdit {
    let answered = answer.flatMap { try? JSONValue(parsing: $0) }
    guard let row = change.row else { return insert(answered, &content, named: name) }
    guard let found = content.result?.item(row), found.source == source, let position = found.position else {
      return .awaitsRefresh(row: row)
    }
    let answers = answer.flatMap { content.identity(of: $0, from: source) }
    switch change {
    case .insert: return .awaitsRefresh(row: row)
    case .patch(_, let patch):
      let patched = item.merging(patch: patch)
      let told = answered.flatMap { new(from: $0, named: answers, over: patched, in: content) }
      content.lay((told ?? patched).bytes, at: position, over: source, named: name)
    case .action:
      // What an action does to the item only the upstream knows.
      guard let answered, let item = new(from: answered, named: answers, over: item, in: content) else {
        return .awaitsRefresh(row: row)
      }
      content.lay(item.bytes, at: position, over: source, named: name)
    case .delete:
      var items = content.items(of: source)
      guard items.indices.contains(position) else { return .awaitsRefresh(row: row) }
      items.remove(at: position)
      content.lay(items, over: source, named: name)
    case .move:
      var items = content.items(of: source)
      guard items.indices.contains(position) else { return .awaitsRefresh(row: row) }
      let moving = items.remove(at: position)
      var rows = content.result?.items(of: source).map(\.row) ?? []
      rows.remove(at: position)
      let index = place?.index(among: rows, in: content.result?.sections ?? [], naming: content.itemIdentity(ofRow:))
      items.insert(moving, at: index ?? rows.count)
      content.lay(items, over: source, named: name)
    }
    return .shown(row: row)
  }

  private func insert(_ answered: JSONValue?, _ content: inout TableContent, named name: String) -> LaidEdit {
    // Without what the source has said there is nothing to lay it over.
    guard case .insert(let sent, _) = change, let answered, content.inputs[source]?.content != nil,
      content.identity(of: answered.bytes, from: source) != nil
    else { return .awaitsRefresh(row: nil) }
    if let known = content.identity(of: answered.bytes, from: source).flatMap({ content.result?.item($0) }),
      known.source == source, let position = known.position,
      let old = try? JSONValue(parsing: known.bytes)
    {
      // The upstream had it already.
      let new = old.merging(patch: sent).replacingMembers(by: answered)
      content.lay(new.bytes, at: position, over: source, named: name)
      return .shown(row: content.result?.identity(ofItemAt: position, of: source))
    }
    let (before, items) = (content, content.items(of: source))
    content.lay(items + [answered.bytes], over: source, named: name)
    guard let row = content.result?.identity(ofItemAt: items.count, of: source) else {
      // What has no identity is not the item, whatever it is.
      content = before
      return .awaitsRefresh(row: nil)
    }
    // What the answer leaves out is as it was sent.
    content.lay(items + [sent.merging(patch: answered).bytes], over: source, named: name)
    return .shown(row: row)
  }

  /// The item from now on, where an answer says what it is: where the edit says where the item stands in the answer, or
  /// where the answer is the row's. What the answer leaves out then is as it was.
  ///
  /// - Parameter name: the identity that the answer has.
  private func new(
    from answer: JSONValue,
    named name: String?,
    over item: JSONValue,
    in content: TableContent
  ) -> JSONValue? {
    let known = item.replacingMembers(by: answer)
    if request.item != nil {
      if name != nil { return answer }
      // It may leave out what the item is called.
      guard content.identity(of: known.bytes, from: source) == identity else { return nil }
    } else {
      guard name == identity else { return nil }
    }
    return known
  }
}

extension TableContent {
  /// The identity of the row of an item, as the upstream names it in an answer; nil where it doesn't.
  func identity(of answer: [UInt8], from source: String) -> String? {
    mapper.identity(of: answer, from: source, variables: variables)
  }

  /// Of a source, in their order. O(bytes).
  fileprivate func items(of source: String) -> [[UInt8]] { result?.items(of: source).map(\.bytes) ?? [] }

  /// Lays one item over what a source has said, in the place of another. As fast as the table finds where that stands,
  /// where the source has one list.
  fileprivate mutating func lay(_ item: [UInt8], at position: Int, over source: String, named name: String) {
    if let answer = inputs[source]?.content, result?.hasList(of: source, in: answer) == true {
      inputs[source]?.content = answer.replacing(position, with: item)
      _ = table(named: name)
    } else {
      var items = items(of: source)
      guard items.indices.contains(position) else { return }
      items[position] = item
      lay(items, over: source, named: name)
    }
  }

  /// Lays other items over what a source has said: its responses stay what they were, for whoever shows more of them.
  fileprivate mutating func lay(_ items: [[UInt8]], over source: String, named name: String) {
    let items = items.map { SourceItem(bytes: $0) }
    let answer = inputs[source]?.content ?? SourceContent()
    inputs[source]?.content = answer.laying(over: items)
    _ = table(named: name)
  }
}

extension EditPlace {
  /// Where in a source's list this place is; the moving item is no longer in it.
  fileprivate func index(among rows: [String?], in sections: [Section], naming name: (String) -> String) -> Int {
    switch self {
    case .end: return rows.count
    case .before(let row): return rows.firstIndex(of: row) ?? rows.count
    case .after(let row): return rows.firstIndex(of: row).map { $0 + 1 } ?? rows.count
    case .section(let id, let at):
      let section = sections.first { $0.id == id } ?? sections.first
      let known = Set(rows)
      let present = (section?.rows ?? []).map { name($0.id) }.filter { known.contains($0) }
      guard let at, at < present.count else { return rows.count }
      return rows.firstIndex(of: present[at]) ?? rows.count
    }
  }
}

extension JSONValue {
  /// With an object's members in place of those of the same names, and its others behind them.
  fileprivate func replacingMembers(by other: JSONValue) -> JSONValue {
    guard case .object(var members) = self, case .object(let others) = other else { return other }
    let positions = Dictionary(members.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for member in others {
      if let position = positions[member.name] { members[position] = member } else { members.append(member) }
    }
    return .object(members)
  }
}
