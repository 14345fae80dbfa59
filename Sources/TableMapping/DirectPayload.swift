internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding

/// A cell's payload as it is written straight from an item's JSON, field after field: what most cells show are members of
/// their items, as they are or in a text. No value is made of them.
///
/// It is for cells without fallbacks, whose fields are all of that kind or say the same for every item. Whatever does not
/// fit is refused, and told by those who make values (``ItemMapping``): so that all that is said of misfits stands there.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and freed in `deinit` alone.
final class DirectPayload: @unchecked Sendable {
  private let templates: TemplateList
  private let types: [FieldType]
  private let fields: UnsafeMutableBufferPointer<Field>
  /// Names with their colons, and constants with their names, one behind the other.
  private let texts: UnsafeMutableBufferPointer<UInt8>

  private struct Field {
    var slot: Int
    var admission: Admission
    var isOptional: Bool
    /// A tap toggles it.
    var expands: Bool
    /// `"name":`
    var name: UnsafeBufferPointer<UInt8>
    /// The value of a part that is the same for every item.
    var constant: UnsafeBufferPointer<UInt8>?
  }

  /// The condition on a member's value. Without references, so that a test counts none.
  fileprivate enum Admission {
    case string, url, date, number, integer, boolean
    case any
    /// The field's type says.
    case other
  }

  /// Nil where the cell's payload is made of values.
  init?(_ candidate: CellPlan.Candidate, templates: TemplateList, constants: [JSONValue?]) {
    var (texts, spans): ([UInt8], [(name: Range<Int>, constant: Range<Int>?)]) = ([], [])
    for (index, check) in candidate.checks.enumerated() {
      let start = texts.count
      texts += candidate.layout.encodedName(at: index)
      let name = start..<texts.count
      guard let constant = constants[check.slot] else {
        // A text is a text, whatever the item is.
        guard templates.isDirect(check.slot), !templates.isText(check.slot) || [.string, .any].contains(check.type)
        else { return nil }
        spans.append((name, nil))
        continue
      }
      if constant == .null {
        guard check.isOptional else { return nil }
        spans.append((name, name.upperBound..<name.upperBound))
      } else {
        if check.type == .integer, case .double = constant { return nil }
        guard check.type.admits(Value(constant)) else { return nil }
        texts += constant.bytes
        spans.append((name, name.upperBound..<texts.count))
      }
    }
    self.templates = templates
    types = candidate.checks.map(\.type)
    self.texts = .allocate(capacity: texts.count)
    _ = self.texts.initialize(from: texts)
    fields = .allocate(capacity: spans.count)
    for (index, check) in candidate.checks.enumerated() {
      let field = Field(
        slot: check.slot,
        admission: Admission(check.type),
        isOptional: check.isOptional,
        expands: index == candidate.layout.expandingField,
        name: UnsafeBufferPointer(rebasing: self.texts[spans[index].name]),
        constant: spans[index].constant.map { UnsafeBufferPointer(rebasing: self.texts[$0]) }
      )
      fields.initializeElement(at: index, to: field)
    }
  }

  deinit {
    fields.deallocate()
    texts.deallocate()
  }

  /// Writes the members of an item's payload.
  ///
  /// - Parameter expansion: where the boolean stands that a tap toggles.
  /// - Returns: false where a value does not fit, or is one that has to be made. Some of it has been written then.
  /// - Complexity: O(bytes + members of the item · fields).
  func write(_ item: JSONView, to writer: inout JSONWriter, expansion: inout Range<Int>?) -> Bool {
    for index in fields.indices {
      let start = writer.count
      if let constant = fields[index].constant {
        guard !constant.isEmpty else { continue }
        writer.name(encoded: fields[index].name)
        writer.write(raw: constant)
      } else {
        let admission = fields[index].admission
        let outcome = templates.write(fields[index].slot, of: item, name: fields[index].name, to: &writer) { view in
          admission.admits(view) ?? types[index].admits(Value(view))
        }
        switch outcome {
        case .written: break
        case .null: if fields[index].isOptional { continue } else { return false }
        case .refused: return false
        }
      }
      if fields[index].expands {
        // Behind the comma, if there is one: what was written is that, the name and the value.
        let separator = writer.separates(at: start) ? 1 : 0
        expansion = start + separator + fields[index].name.count..<writer.count
      }
    }
    return true
  }
}

extension DirectPayload.Admission {
  fileprivate init(_ type: FieldType) {
    self =
      switch type {
      case .string: .string
      case .url: .url
      case .date: .date
      case .number: .number
      case .integer: .integer
      case .boolean: .boolean
      case .any: .any
      case .object, .list, .oneOf: .other
      }
  }

  /// As ``FieldType/admits(_:)``, of a value that is not null; nil: that has to be asked. A number with a fraction is no
  /// integer here, though it may be one with the fraction 0.
  @inline(__always)
  fileprivate func admits(_ view: JSONView) -> Bool? {
    switch self {
    case .string: view.kind == .string
    case .url: view.string.map { TextFormat.isURL($0.bytes) } ?? false
    case .date: view.string.map { TextFormat.isDateTime($0.bytes) } ?? false
    case .number: view.kind == .integer || view.kind == .double || view.kind == .unsigned
    case .integer: view.kind == .integer || view.kind == .unsigned
    case .boolean: view.kind == .bool
    case .any: true
    case .other: nil
    }
  }
}
