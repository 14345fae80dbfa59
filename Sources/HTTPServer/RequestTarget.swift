/// The target of a request (RFC 9112 section 3.2), decoded.
struct RequestTarget: Sendable {
  var segments: [String] = []
  var rawPath = ""
  var query = Query()
}
