import Synchronization

/// The names that requests may be for. A web page can have its own name resolve to an address of this machine or its
/// network, and is then of one origin with the service as far as its browser knows (DNS rebinding); its requests still
/// say that name.
struct HostPolicy: Sendable {
  /// In lower case, without a dot at the end.
  private let names: [[UInt8]]

  /// - Returns: nil where any name will do: `hosts` is empty, and `address` is not this machine's own.
  init?(hosts: [String], listeningOn address: SocketAddress?) {
    guard !hosts.isEmpty || address?.isLoopback ?? false else { return nil }
    names = (["localhost"] + hosts).map { HostPolicy.name(in: Array($0.utf8)[...]).map(ByteClass.lowercased) }
  }

  /// Returns whether a request is for one of the names: looked up once for all requests whose heads have the same
  /// bytes.
  func admits(_ head: RequestHead) -> Bool {
    if head.isAdmitted.load(ordering: .relaxed) { return true }
    guard admits(head.authority) else { return false }
    head.isAdmitted.store(true, ordering: .relaxed)
    return true
  }

  /// Returns whether `authority`, which is valid, is an IP literal, `localhost` or one of the names, whatever its port.
  /// So is an empty one: every browser says a name. Allocates nothing.
  func admits(_ authority: ArraySlice<UInt8>) -> Bool {
    if authority.isEmpty || authority.first == UInt8(ascii: "[") { return true }
    let name = HostPolicy.name(in: authority)
    for known in names where known.count == name.count {
      if name.lazy.map(ByteClass.lowercased).elementsEqual(known) { return true }
    }
    return SocketAddress(text: name) != nil
  }

  /// Without the port, and without the dot that a complete name may end with (RFC 1034 section 3.1).
  private static func name(in authority: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = authority.prefix { $0 != UInt8(ascii: ":") }
    return name.last == UInt8(ascii: ".") ? name.dropLast() : name
  }

  /// The answer to a request for another name (RFC 9110 section 15.5.20).
  static let misdirected = Response.problem(
    .misdirectedRequest,
    detail: "This service has another name than the one in Host: `hosts` in its configuration lists its names."
  )
}
