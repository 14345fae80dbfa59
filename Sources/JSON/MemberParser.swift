internal import CJSONMembers

/// Parses objects of which only some members are read: the others are checked and passed over, which takes a third of the
/// time that it takes to index and parse them.
///
/// What is rare in JSON, and what is no JSON, it declines: that is to be parsed by a ``Parser``, which says what is wrong.
/// Not thread-safe.
final class MemberParser {
  private let parser: OpaquePointer

  static let padding = Int(CJSONMEMBERS_PADDING)

  /// Nil where all is read, or there is no memory.
  ///
  /// - Parameter isPortable: without the instructions that only some processors have; for tests.
  init?(_ selection: MemberSelection, limits: JSONLimits, isPortable: Bool = false) {
    guard !selection.isWhole, let parser = cjsonmembers_create(limits.maximumDepth, isPortable) else { return nil }
    self.parser = parser
    guard add(selection, to: CJSONMEMBERS_ROOT) else { return nil }
  }

  deinit { cjsonmembers_destroy(parser) }

  private func add(_ selection: MemberSelection, to object: Int32) -> Bool {
    selection.members.allSatisfy { name, member in
      let bytes = Array(name.text.utf8)
      let number = cjsonmembers_add(parser, object, bytes, bytes.count, member.isWhole)
      return number > 0 && (member.isWhole || add(member, to: number))
    }
  }

  /// The object with the members that are read, and perhaps more; nil: declined. Valid until the next one is parsed.
  ///
  /// - Parameter text: one object of a text whose structure was found (``ListedText``), with `padding` readable bytes
  ///   behind it.
  /// - Complexity: O(bytes).
  func parse(_ text: UnsafeRawBufferPointer) -> JSONView? {
    guard cjsonmembers_parse(parser, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count) else {
      return nil
    }
    return JSONView(tape: cjsonmembers_tape(parser), strings: cjsonmembers_strings(parser), index: 1)
  }
}
