import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// The things that replies about a table depend on beside the table: the request fields they vary by, and whether
/// caches that many share may keep them.
struct ReplyScope: Hashable, Sendable {
  /// The caller's fields that the table's upstreams are sent.
  var forwards: [String]
  /// Reading takes a token.
  var isTokenHolders: Bool
  /// Rows offer edits to those who may edit, and to nobody else.
  var distinguishesEditors = false
  /// It shows a view, which is its user's own where there are users.
  var isOfUser = false
  /// The language that the table is in; nil where the configuration names none.
  var locale: String?

  /// The same, of the table that is in another one's place.
  func of(_ table: LiveTable) -> ReplyScope {
    var scope = self
    scope.locale = table.locale
    return scope
  }

  var cacheControl: String {
    isCallers || !forwards.isEmpty ? "private, no-cache" : "no-cache"
  }

  private var isCallers: Bool { isTokenHolders || distinguishesEditors || isOfUser }

  /// The same, of replies whose URLs have a cursor, and by that tell whether rows offer edits.
  var ofCursors: ReplyScope {
    var scope = self
    scope.distinguishesEditors = false
    return scope
  }

  /// Replies from one cursor are the same for all: they don't depend on the client.
  var isPublic: Bool { forwards.isEmpty && !isTokenHolders }

  /// For `Vary`.
  var vary: [String] { varyWithoutCells.isEmpty ? ["Accept-Cells"] : ["Accept-Cells"] + varyWithoutCells }

  /// The same, of what does not depend on the cells that a client can show.
  var varyWithoutCells: [String] {
    forwards + (isCallers && !forwards.nameCredentials ? ["Authorization"] : [])
      + (locale == nil ? [] : ["Accept-Language"])
  }

  /// `Content-Language`.
  var fields: [HeaderField] { locale.map { [HeaderField(.contentLanguage, $0)] } ?? [] }
}

extension [String] {
  /// True if the callers' own credentials are among these header fields.
  var nameCredentials: Bool { contains { $0.lowercased() == "authorization" } }
}

extension EncodedReply {
  /// The reply to a poll, but for its `Link`.
  func representation(_ scope: ReplyScope) -> Representation {
    form { HTTPForm(scope, changes: $0) }.of(scope) { HTTPForm(scope, changes: self) }.representation
  }

  /// The same through caches: it names the slot to ask for next.
  func representation(_ scope: ReplyScope, slot: Int64, cacheControl: String) -> Representation {
    let form = form { HTTPForm(scope, changes: $0) }.of(scope) { HTTPForm(scope, changes: self) }
    return form.naming(slot, cacheControl, in: self)
  }

  /// The reply to a snapshot's request.
  func snapshot(_ scope: ReplyScope) -> Representation {
    form { HTTPForm(scope, snapshot: $0) }.of(scope) { HTTPForm(scope, snapshot: self) }.representation
  }
}

/// The HTTP forms of a reply: heads and compressed bodies, for as long as the reply is kept.
private final class HTTPForm: Sendable {
  private let scope: ReplyScope
  let representation: Representation
  /// The form of another scope: by a configuration that was read since, others may read, or edit.
  private let other = Mutex<HTTPForm?>(nil)
  /// The form that names a slot: those who ask meanwhile are told of the same.
  private let slotted = Mutex<Slotted?>(nil)

  private struct Slotted {
    let slot: Int64
    let cacheControl: String
    let representation: Representation
  }

  init(_ scope: ReplyScope, changes reply: EncodedReply) {
    self.scope = scope
    representation = Representation(
      body: reply.body,
      contentType: "application/json",
      cacheControl: "no-store",
      vary: scope.vary,
      fields: scope.fields
    )
  }

  init(_ scope: ReplyScope, snapshot reply: EncodedReply) {
    self.scope = scope
    representation = Representation(
      body: reply.body,
      contentType: "application/json",
      entityTag: reply.cursor.description,
      cacheControl: scope.cacheControl,
      vary: scope.vary,
      fields: scope.fields
    )
  }

  /// Returns the form that names a slot: the last one that was asked for, or a new one in its place.
  func naming(_ slot: Int64, _ cacheControl: String, in reply: EncodedReply) -> Representation {
    slotted.withLock { slotted in
      if let slotted, slotted.slot == slot, slotted.cacheControl == cacheControl { return slotted.representation }
      let representation = Representation(
        body: reply.body.dropLast() + Array(",\"slot\":\(slot)}".utf8),
        contentType: "application/json",
        cacheControl: cacheControl,
        vary: scope.vary,
        fields: scope.fields
      )
      slotted = Slotted(slot: slot, cacheControl: cacheControl, representation: representation)
      return representation
    }
  }

  /// Returns the form of a scope: this one, the one beside it, or a new one, which is kept there.
  func of(_ scope: ReplyScope, _ make: () -> HTTPForm) -> HTTPForm {
    if scope == self.scope { return self }
    return other.withLock { other in
      if let other, other.scope == scope { return other }
      let form = make()
      other = form
      return form
    }
  }
}
