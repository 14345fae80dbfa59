import HTTPServer
import TableEngine

extension ReplyAsker {
  /// The client of an exchange: what its address asks for takes turns with what others ask for.
  init(_ asker: Asker) {
    self.init(share: asker.share) { asker.isThere }
  }
}
