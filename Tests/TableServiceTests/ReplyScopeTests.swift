import HTTPServer
import TableModel
import Testing

@testable import TableEngine
@testable import TableService

@Suite struct ReplyScopeTests {
  /// While one configuration takes another one's place, replies may be made for the scopes of both: neither is made, and
  /// compressed, again for each who asks.
  @Test(arguments: [false, true])
  func aReplyHasOneFormForEachScope(isSnapshot: Bool) {
    let reply = EncodedReply(Array("{}".utf8), cursor: Cursor(epoch: Epoch(rawValue: 1), version: 1))
    func form(_ scope: ReplyScope) -> Representation {
      isSnapshot ? reply.snapshot(scope) : reply.representation(scope)
    }
    let closed = ReplyScope(forwards: [], isTokenHolders: true)
    let opened = ReplyScope(forwards: [], isTokenHolders: false)
    let (first, second) = (form(closed), form(opened))
    #expect(first !== second)
    #expect(form(closed) === first && form(opened) === second)
  }

  /// Also where no cache stands between: all who ask in one slot are given one form.
  @Test func aReplyHasOneFormForEachSlot() {
    let reply = EncodedReply(Array("{}".utf8), cursor: Cursor(epoch: Epoch(rawValue: 1), version: 1))
    let scope = ReplyScope(forwards: [], isTokenHolders: false)
    func form(_ slot: Int64, _ cacheControl: String = "no-store") -> Representation {
      reply.representation(scope, slot: slot, cacheControl: cacheControl)
    }
    let first = form(7)
    #expect(form(7) === first && form(7, "public, max-age=60") !== first)
    #expect(form(8).body == Array("{,\"slot\":8}".utf8))
  }
}
