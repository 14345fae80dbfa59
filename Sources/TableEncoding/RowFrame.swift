public import JSON
public import TableModel

/// The encoding around the payloads of rows that have one cell, the same permissions, and nothing else: made once. A
/// row in it is as a ``RowBuilder`` makes it.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and freed in `deinit` alone.
public final class RowFrame: @unchecked Sendable {
  private let cellIdentifier: String
  private let permissions: Permissions
  /// Before the identity, between it and the payload's members, and behind these: parts of `texts`.
  private let opening: UnsafeBufferPointer<UInt8>
  private let middle: UnsafeBufferPointer<UInt8>
  private let closing: UnsafeBufferPointer<UInt8>
  // Without references: rows are written without counting any.
  private let texts: UnsafeMutableBufferPointer<UInt8>

  public init(_ cell: CellLayout, permissions: Permissions) {
    (cellIdentifier, self.permissions) = (cell.identifier, permissions)
    let opening = Array(#"{"id":"#.utf8)
    let middle = [UInt8(ascii: ",")] + cell.opening
    let closing = Array("},\"can\":\(RowBuilder.encoded(permissions))}".utf8)
    texts = .allocate(capacity: opening.count + middle.count + closing.count)
    _ = texts.initialize(from: opening + middle + closing)
    let all = UnsafeBufferPointer(texts)
    self.opening = UnsafeBufferPointer(rebasing: all[..<opening.count])
    self.middle = UnsafeBufferPointer(rebasing: all[opening.count..<opening.count + middle.count])
    self.closing = UnsafeBufferPointer(rebasing: all[(opening.count + middle.count)...])
  }

  deinit { texts.deallocate() }

  /// A row whose payload's members somebody else writes.
  ///
  /// - Parameter members: writes them, and where the boolean stands that a tap toggles; false: there is no row.
  /// - Complexity: O(bytes).
  @inline(__always)
  public func row(
    id: String,
    with writer: inout JSONWriter,
    members: (inout JSONWriter, inout Range<Int>?) -> Bool
  ) -> Row? {
    writer.removeAll()
    writer.append(verbatim: opening)
    writer.write(id)
    writer.append(verbatim: middle)
    let payloadStart = writer.count - 1
    var expansion: Range<Int>?
    guard members(&writer, &expansion) else { return nil }
    let payload = payloadStart..<writer.count + 1
    writer.append(closing: closing)
    return Row(
      id: id,
      encoded: writer.bytes,
      cells: CellChain(CellPart(cellIdentifier: cellIdentifier, payload: payload)),
      permissions: permissions,
      expansion: expansion
    )
  }
}
