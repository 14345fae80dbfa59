/// The first line of a request (RFC 9112 section 3).
struct RequestLine {
  let method: Method
  let target: RequestTarget
  let version: HTTPVersion
}
