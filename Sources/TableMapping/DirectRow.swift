internal import Expressions
internal import JSON
internal import TableEncoding
internal import TableModel

/// The rows of a plan by which every item becomes one in the same way, whose identities are members of their items, and whose
/// payloads are written straight from these (``DirectPayload``): made without a scope, a value, or a reference counted.
///
/// Whatever is otherwise with an item is left to ``ItemMapping``, which says what is wrong.
final class DirectRow: Sendable {
  private let rowID: TemplateList
  private let payload: DirectPayload
  private let frame: RowFrame

  /// Nil where rows of the plan have more to them.
  init?(
    rowID: TemplateList?,
    cell: CellPlan?,
    permissions: Permissions?,
    onlyMakesRows: Bool,
    readsTypes: Bool,
    actions: [ActionPlan],
    isFound: Bool
  ) {
    guard onlyMakesRows, !isFound, !readsTypes, actions.isEmpty, let rowID, let permissions, let cell,
      cell.select == nil,
      let payload = cell.direct
    else { return nil }
    (self.rowID, self.payload) = (rowID, payload)
    frame = RowFrame(cell.layout, permissions: permissions)
  }

  /// The row of an upstream's item; nil: ``ItemMapping`` tells.
  @inline(__always)
  func row(of item: JSONView, with writer: inout JSONWriter) -> Row? {
    // The objects in `self` live as long as it does, and are never written.
    Unmanaged.passUnretained(rowID)._withUnsafeGuaranteedRef { rowID in
      guard let id = rowID.text(0, of: item), RowIdentity.refusal(of: id) == nil else { return nil }
      return Unmanaged.passUnretained(frame)._withUnsafeGuaranteedRef { frame in
        frame.row(id: id, with: &writer) { writer, expansion in
          Unmanaged.passUnretained(payload)._withUnsafeGuaranteedRef {
            $0.write(item, to: &writer, expansion: &expansion)
          }
        }
      }
    }
  }
}
