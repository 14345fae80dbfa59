extension Request {
  /// A request as if it had been received, for tests of handlers: `target` and header fields go through the same
  /// parser and the same rules. `Host` is added where it is missing.
  ///
  /// - Throws: the error that a client would be told, as text.
  public init(
    _ method: Method,
    _ target: String,
    headers: [HeaderField] = [],
    body: [UInt8] = [],
    peer: SocketAddress = SocketAddress(ipv4: 0x7f00_0001, port: 1024)
  ) throws(RequestError) {
    var bytes = Array("\(method.name) \(target) HTTP/1.1\r\n".utf8)
    if !headers.contains(where: { $0.name == .host }) { HeaderField(.host, "localhost").append(to: &bytes) }
    for field in headers { field.append(to: &bytes) }
    bytes.append(contentsOf: "\r\n".utf8)
    do {
      self.init(head: try RequestHead.parse(bytes, Configuration.Limits()), body: body, peer: peer, serial: 0)
    } catch {
      throw RequestError(status: error.status, description: error.detail)
    }
  }
}

/// Why something is no request.
public struct RequestError: Error, CustomStringConvertible, Sendable {
  /// The status that a client would be answered with.
  public let status: Status
  /// The error in the request.
  public let description: String
}
