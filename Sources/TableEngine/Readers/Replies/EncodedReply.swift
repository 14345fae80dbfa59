import Synchronization
package import TableModel

/// A reply, encoded once, shared by all who ask for the same.
package final class EncodedReply: Sendable {
  package let body: [UInt8]
  /// The cursor of a client that has it.
  package let cursor: Cursor
  /// It is a snapshot in place of stages.
  package let isReset: Bool
  /// It has no stages, whatever version it leads to.
  package let isEmpty: Bool
  /// Why it says where the client is, and no more.
  let doubt: Doubt?
  private let keptForm = Mutex<(any AnyObject & Sendable)?>(nil)

  enum Doubt {
    /// Only the store knows what it asks for.
    case unknown
    /// Another replica draws it.
    case drawnElsewhere
    /// Its rows are found by another definition than is known here.
    case foundElsewhere
  }

  init(_ body: [UInt8], cursor: Cursor, isReset: Bool = false, isEmpty: Bool = false, doubt: Doubt? = nil) {
    (self.body, self.cursor, self.isReset, self.isEmpty) = (body, cursor, isReset, isEmpty)
    self.doubt = doubt
  }

  /// Returns the service face's form of the reply: heads, compressed bodies. Made once, and gone with the reply.
  package func form<Form: AnyObject & Sendable>(_ make: (EncodedReply) -> Form) -> Form {
    let known = keptForm.withLock { $0 } ?? keep(make(self))
    // A comparison of two pointers, where a conditional cast asks the runtime.
    return type(of: known) == Form.self ? unsafeDowncast(known, to: Form.self) : make(self)
  }

  /// - Returns: the form that was kept first.
  private func keep(_ form: any AnyObject & Sendable) -> any AnyObject & Sendable {
    keptForm.withLock { kept in
      let first = kept ?? form
      kept = first
      return first
    }
  }

  /// Its bytes, as far as they can be told here: compressed forms are a part of the body.
  package var byteCount: Int { body.count + body.count / 4 + 512 }
}
