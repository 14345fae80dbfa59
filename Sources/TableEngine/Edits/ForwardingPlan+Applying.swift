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
    let awaiting = LaidEdit.awaitsRefresh(row: row)
    switch change {
    case .insert: return awaiting
    case .put(_, let sent, _, _):
      // What the upstream makes of it beside what was sent, as its own name for it, only the answer tells.
      let told = answered.flatMap { new(from: $0, named: answers, over: sent, in: content) }
      guard told != nil || content.identity(of: sent.bytes, from: source) == identity else { return awaiting }
      content.lay((told ?? sent).bytes, at: position, over: source, named: name)
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
    case .delete: return content.layDeletion(at: position, over: source, named: name) ? .shown(row: row) : awaiting
    case .move:
      let place = place ?? .end
      guard content.layMove(at: position, to: place, over: source, named: name) else { return awaiting }
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
      let place = content.lay(new.bytes, at: position, over: source, named: name)
      return .shown(row: content.result?.identity(ofItemAt: place, of: source))
    }
    let before = content
    let position = content.layAddition(answered.bytes, over: source, named: name)
    guard let row = content.result?.identity(ofItemAt: position, of: source) else {
      // What has no identity is not the item, whatever it is.
      content = before
      return .awaitsRefresh(row: nil)
    }
    // What the answer leaves out is as it was sent.
    content.lay(sent.merging(patch: answered).bytes, at: position, over: source, named: name)
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
