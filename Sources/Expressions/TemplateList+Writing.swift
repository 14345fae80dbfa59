public import JSON

/// The outcome of writing a value straight from an item's JSON.
public enum DirectlyWritten {
  case written
  /// There is no value, or it is null: nothing was written.
  case null
  /// It is not what the field takes, or there is more to it than can be told here. Something may have been written.
  case refused
}

extension TemplateList {
  /// Returns whether a slot is filled from the item's own JSON, value by value, as ``write(_:of:name:to:if:)`` does.
  public func isDirect(_ slot: Int) -> Bool {
    switch forms[slot] {
    case .path(let path): return path._withUnsafeGuaranteedRef { $0.isOfItem }
    case .text(let start, let end):
      return (start..<end).allSatisfy { position in
        switch pieces[position] {
        case .literal: true
        case .path(let path): path._withUnsafeGuaranteedRef { $0.isOfItem }
        case .expression: false
        }
      }
    case .other: return false
    }
  }

  /// Returns whether a slot is filled with a text, whatever the item is.
  public func isText(_ slot: Int) -> Bool { if case .text = forms[slot] { true } else { false } }

  /// The text of the member that a slot is filled from, where it is a string or an integer; nil: to be evaluated.
  public func text(_ slot: Int, of item: JSONView) -> String? {
    guard case .path(let path) = forms[slot] else { return nil }
    return path._withUnsafeGuaranteedRef { path in
      guard path.isOfItem, let view = path.view(from: item) else { return nil }
      return if let text = view.string { String(text) } else { view.int64.map { DecimalText.string($0) } }
    }
  }

  /// Writes the value in a slot, without making one: a member's is copied from the document.
  ///
  /// - Parameters:
  ///   - slot: one that ``isDirect(_:)``.
  ///   - item: what is in scope as the item, and as names.
  ///   - admits: whether the field takes a member's value; a text that the template makes is always taken.
  ///   - name: of the field, encoded: quotes and colon included.
  @inline(__always)
  public func write(
    _ slot: Int,
    of item: JSONView,
    name: UnsafeBufferPointer<UInt8>,
    to writer: inout JSONWriter,
    if admits: (JSONView) -> Bool
  ) -> DirectlyWritten {
    switch forms[slot] {
    case .path(let path):
      guard let view = path._withUnsafeGuaranteedRef({ $0.view(from: item) }), !view.isNull else { return .null }
      guard admits(view) else { return .refused }
      switch view.kind {
      case .string: if let text = view.string { writer.write(text, named: name) }
      case .integer: if let value = view.int64 { writer.write(value, named: name) }
      case .null, .bool, .unsigned, .double, .array, .object:
        writer.name(encoded: name)
        writer.write(view)
      }
      return .written
    case .text(let start, let end):
      writer.name(encoded: name)
      return writeText(start..<end, of: item, to: &writer) ? .written : .refused
    case .other: return .refused
    }
  }

  private func writeText(_ range: Range<Int>, of item: JSONView, to writer: inout JSONWriter) -> Bool {
    writer.beginText()
    let start = writer.count
    for position in range {
      switch pieces[position] {
      case .literal(let bytes): writer.append(text: bytes)
      case .path(let path):
        guard let view = path._withUnsafeGuaranteedRef({ $0.view(from: item) }) else { continue }
        switch view.kind {
        case .string: if let text = view.string { writer.append(text: text) }
        case .integer: if let value = view.int64 { writer.append(decimal: value) }
        case .null: break
        // Other kinds are rare in texts, and made as values are.
        case .bool, .unsigned, .double, .array, .object: return false
        }
      case .expression: return false
      }
    }
    writer.endText()
    // Escaped it is no shorter.
    return writer.count - start <= Arithmetic.maximumText
  }
}
