import Definitions
import Expressions
import FieldValues
import JSON
import TableMapping
import TableModel

extension ForwardingPlan {
  /// The identity by which the item's edits are counted (``AcceptedItems``): of an insert, the upstream's, if it has
  /// said one.
  ///
  /// - Parameter answer: the item in the upstream's answer, if there is one.
  func countedIdentity(_ answer: [UInt8]?, in content: TableContent) -> String? {
    guard isInsert, let answer else { return identity }
    return content.identity(of: answer, from: source) ?? identity
  }

  /// Does to the source's content what the upstream has said it did.
  ///
  /// - Parameters:
  ///   - answer: the item in the upstream's answer, if there is one.
  ///   - sent: the JSON body of the request, if it had one.
  func apply(_ answer: [UInt8]?, sent: [UInt8]?, to content: inout TableContent, named name: String) -> AppliedEdit {
    // The source's last answer may still wait to be mapped, until something is stored: the edit is laid over that answer.
    content.refreshResult(named: name)
    let answered = answer.flatMap { try? JSONValue(parsing: $0) }
    // An item in a list of another item is not laid over that: the fetch that follows has both.
    if content.definition.items != nil, content.definition.source == source {
      return .awaitsRefresh(row: change.row ?? answered.flatMap { content.identity(of: $0.bytes, from: source) })
    }
    guard let row = change.row else { return insert(answered, &content, named: name) }
    guard let found = content.result?.item(row), found.source == source, let position = found.position else {
      return .awaitsRefresh(row: row)
    }
    let answers = answer.flatMap { content.identity(of: $0, from: source) }
    let awaiting = AppliedEdit.awaitsRefresh(row: row)
    // Another edit, or a fetch, has come in between: which of the two the upstream did first only a fetch can tell.
    guard change.isDeletion || (try? JSONValue(parsing: found.bytes)) == item else { return awaiting }
    switch change {
    case .insert: return awaiting
    case .put(_, let sent, let asked, _):
      // The upstream's own additions to the item, such as its name, are only in the answer.
      let told = answered.flatMap { new(from: $0, named: answers, over: sent, in: content) }
      guard told != nil || content.identity(of: sent.bytes, from: source) == identity else { return awaiting }
      let before = content
      let position = content.lay((told ?? sent).bytes, at: position, over: source, named: name)
      guard layPlace(asked, of: row, at: position, over: &content, named: name) else {
        content = before
        return awaiting
      }
    case .patch(_, let patch):
      let patched = item.merging(patch: patch)
      let told = answered.flatMap { new(from: $0, named: answers, over: patched, in: content) }
      content.lay((told ?? patched).bytes, at: position, over: source, named: name)
    case .action:
      // The effect of an action on the item is known to the upstream alone.
      guard let answered, let new = new(from: answered, named: answers, over: item, in: content),
        new != item || answered.hasMembers(of: item)
      else { return .awaitsRefresh(row: row) }
      content.lay(new.bytes, at: position, over: source, named: name)
    case .delete: return content.layDeletion(at: position, over: source, named: name) ? .shown(row: row) : awaiting
    case .move(_, let asked):
      let told = answered.flatMap { new(from: $0, named: answers, over: item.taking(sent), in: content) }
      let before = content
      let moved = (told ?? moved(asked, sent, in: content)).bytes
      let position = moved == item.bytes ? position : content.lay(moved, at: position, over: source, named: name)
      guard layPlace(asked, of: row, at: position, over: &content, named: name) else {
        content = before
        return awaiting
      }
    }
    return .shown(row: row)
  }

  private func insert(_ answered: JSONValue?, _ content: inout TableContent, named name: String) -> AppliedEdit {
    // Without what the source has said there is nothing to lay it over.
    guard case .insert(let sent, let asked) = change, let answered, content.inputs[source]?.content != nil,
      content.identity(of: answered.bytes, from: source) != nil
    else { return .awaitsRefresh(row: nil) }
    if let row = content.identity(of: answered.bytes, from: source), let known = content.result?.item(row),
      known.source == source, let old = try? JSONValue(parsing: known.bytes)
    {
      // A fetch was answered with it before, perhaps with what has become of it since: only another one can tell which is newer.
      let isAsAnswered = old.merging(patch: sent).replacingMembers(by: answered) == old
      return isAsAnswered ? .shown(row: row) : .awaitsRefresh(row: row)
    }
    let before = content
    let position = content.layAddition(answered.bytes, over: source, named: name)
    guard let row = content.result?.identity(ofItemAt: position, of: source) else {
      // An answer without the identity is not the item.
      content = before
      return .awaitsRefresh(row: nil)
    }
    // Members that the answer leaves out are as they were sent.
    let item = sent.merging(patch: answered).bytes
    let laid = content.lay(item, at: position, over: source, named: name)
    guard layPlace(asked, of: row, at: laid, over: &content, named: name) else {
      content = before
      return .awaitsRefresh(row: row)
    }
    return .shown(row: row)
  }

  /// Moves an item that is laid over the source's content to the place that was asked for.
  ///
  /// - Parameter position: the item's in the content.
  /// - Returns: false where its row stands elsewhere all the same, as by an order of the upstream's own: only a fetch can
  ///   tell where.
  private func layPlace(
    _ asked: EditPlace,
    of row: String,
    at position: Int,
    over content: inout TableContent,
    named name: String
  ) -> Bool {
    guard asked != .end else { return true }
    guard content.layMove(at: position, to: place ?? .end, over: source, named: name) else { return false }
    return asked.holds(for: row, in: content.table(named: name))
  }

  /// The item in its new place, where the answer doesn't say what it is: with what was sent of its members, and in a table
  /// with groups with what makes it one of its section.
  private func moved(_ place: EditPlace, _ sent: [UInt8]?, in content: TableContent) -> JSONValue {
    let moved = item.taking(sent)
    guard moved.bytes == item.bytes, case .groups(let groups) = content.definition.sections,
      let path = groups.key.memberPath, let sections = content.result?.sections
    else { return moved }
    let section: Section?
    switch place {
    case .end: return moved
    case .section(let id, _):
      guard let id else { return moved }
      section = sections.first { $0.id.isExactly(id) }
      guard section != nil else { return moved.setting(path, to: id == "none" ? .null : .string(id)) }
    case .before(let row), .after(let row):
      section = sections.first { $0.rows.contains { $0.id.isExactly(row) } }
    }
    guard let neighbor = section?.rows.first(where: { change.row?.isExactly($0.id) != true }),
      let bytes = content.result?.item(neighbor.id)?.bytes, let other = try? JSONValue(parsing: bytes)
    else { return moved }
    let value = path.reduce(JSONValue?.some(other)) { $0?[$1] } ?? .null
    return moved.setting(path, to: value)
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
      // It may leave out what the item is called.
      guard name != nil || content.identity(of: known.bytes, from: source) == identity else { return nil }
    } else {
      guard name == identity else { return nil }
    }
    return known
  }
}

extension Edit {
  var isDeletion: Bool { if case .delete = self { true } else { false } }
}

extension EditPlace {
  /// Returns whether a row stands there. O(log rows).
  fileprivate func holds(for row: String, in table: Table) -> Bool {
    guard let path = table.indexPath(of: row) else { return false }
    let section = table.sections[path.section]
    switch self {
    case .end: return true
    case .section(let id, let at): return (id.map { section.id.isExactly($0) } ?? true) && (at ?? path.row) == path.row
    case .before(let other):
      return path.row + 1 < section.rows.count && section.rows[path.row + 1].id.isExactly(other)
    case .after(let other): return path.row > 0 && section.rows[path.row - 1].id.isExactly(other)
    }
  }
}

extension JSONValue {
  /// With those members of a request's body that the object has, too, of the same kind or null.
  fileprivate func taking(_ sent: [UInt8]?) -> JSONValue {
    guard case .object = self, let sent, case .object(let members)? = try? JSONValue(parsing: sent) else { return self }
    var result = self
    for member in members {
      guard let own = self[member.name], own.isNothing || member.value.isNothing || own.isOfKind(member.value) else {
        continue
      }
      result[member.name] = member.value
    }
    return result
  }

  /// An answer with fewer members, such as the identity alone, does not say that the others are as they were.
  fileprivate func hasMembers(of other: JSONValue) -> Bool {
    guard case .object(let members) = other else { return true }
    return members.allSatisfy { self[$0.name] != nil }
  }

  private var isNothing: Bool { if case .null = self { true } else { false } }

  private func isOfKind(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string, .string), (.array, .array), (.object, .object): true
    default: isScalar(like: other)
    }
  }

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
