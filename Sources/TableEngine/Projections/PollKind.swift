/// Polls that get the same reply, whatever they wait for.
package struct PollKind: Sendable {
  /// More kinds than that are made when they are asked for.
  static let remembered = 64

  /// Without a view: what was tapped in one is made for it alone.
  package var lens: Lens
  /// Tells kinds with the same lens apart.
  package var variant: String
  /// Prepares the reply ahead, such as its compressed form.
  package var prepare: @Sendable (EncodedReply) -> Void

  package init(lens: Lens, variant: String, prepare: @escaping @Sendable (EncodedReply) -> Void) {
    self.lens = Lens(appearance: lens.appearance, rows: lens.rows, find: lens.find)
    (self.variant, self.prepare) = (variant, prepare)
  }
}

extension [PollKind] {
  func contains(_ kind: PollKind) -> Bool {
    contains { $0.lens == kind.lens && $0.variant == kind.variant }
  }
}
