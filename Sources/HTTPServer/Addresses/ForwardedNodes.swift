/// Whom the proxies on a request's way say that they had it from, as `Forwarded` (RFC 7239) and `X-Forwarded-For` list
/// them: the client first, the nearest proxy's peer last. Linear in the length of the fields; nothing is trusted here.
struct ForwardedNodes {
  /// More proxies in a row than anybody has; of a longer list the end counts, which is the nearest.
  static let limit = 32

  /// Bytes of `Forwarded` that are read: more than so many proxies write.
  private static let longest = 4096
  private var forwardedBytes = 0

  /// Nil stands for a node that is no address: `unknown`, a name made up to say nothing, or no node at all.
  private(set) var nodes: [SocketAddress?] = []

  private mutating func append(_ further: [SocketAddress?]) {
    nodes = (nodes + further).suffix(ForwardedNodes.limit)
  }

  /// Appends what one line of `X-Forwarded-For` lists: addresses with commas between, perhaps with ports. Read from its end:
  /// anyone can put thousands before it.
  mutating func append(list value: ArraySlice<UInt8>) {
    var nearest: [SocketAddress?] = []
    var end = value.endIndex
    while end > value.startIndex, nearest.count < ForwardedNodes.limit {
      let comma = value[..<end].lastIndex(of: UInt8(ascii: ","))
      let member = FieldList.trimmed(value[(comma.map { $0 + 1 } ?? value.startIndex)..<end])
      if !member.isEmpty { nearest.append(ForwardedNodes.address(member)) }
      end = comma ?? value.startIndex
    }
    append(nearest.reversed())
  }

  /// Appends what one line of `Forwarded` lists: elements with commas between, each of pairs with semicolons between
  /// (RFC 7239 section 4). A line with any mistake is one unknown node: where an element of it ends is not known. So is one
  /// that goes beyond 4,096 bytes of all lines.
  mutating func append(forwarded value: ArraySlice<UInt8>) {
    forwardedBytes += value.count
    guard forwardedBytes <= ForwardedNodes.longest else { return append([nil]) }
    var line: [ArraySlice<UInt8>?] = []
    var rest = value
    repeat {
      ForwardedNodes.skipBlanks(&rest)
      // RFC 9110 section 5.6.1: empty members don't count.
      if rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
      guard let node = ForwardedNodes.element(&rest) else {
        return append([nil])
      }
      line.append(node.name)
    } while ForwardedNodes.skip(UInt8(ascii: ","), &rest)
    guard rest.isEmpty else { return append([nil]) }
    append(line.suffix(ForwardedNodes.limit).map { $0.flatMap(ForwardedNodes.address) })
  }

  /// The node of one element.
  private struct Node { var name: ArraySlice<UInt8>? }

  /// The `for` of one element; nil where it is malformed.
  private static func element(_ rest: inout ArraySlice<UInt8>) -> Node? {
    var node: Node?
    repeat {
      skipBlanks(&rest)
      let name = rest.prefix(while: ByteClass.isToken)
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, skip(UInt8(ascii: "="), &rest), let value = value(&rest) else { return nil }
      if FieldSemantics.equal(name, "for") {
        // RFC 7239 section 4: no parameter twice.
        guard node == nil else { return nil }
        node = Node(name: value)
      }
      skipBlanks(&rest)
    } while skip(UInt8(ascii: ";"), &rest)
    return node ?? Node()
  }

  /// A token or a quoted string (RFC 9110 sections 5.6.2 and 5.6.4). Addresses with a colon ought to be quoted; those
  /// that aren't are taken as they are meant.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard skip(UInt8(ascii: "\""), &rest) else {
      let value = rest.prefix { ByteClass.isToken($0) || ":[]".utf8.contains($0) }
      rest = rest.dropFirst(value.count)
      return value.isEmpty ? nil : value
    }
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return value[...]
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(byte)
      }
    }
    return nil
  }

  private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
  }

  /// `192.0.2.1`, `192.0.2.1:47011`, `[2001:db8::1]`, `[2001:db8::1]:47011`, `2001:db8::1` (RFC 7239 section 6).
  static func address(_ node: ArraySlice<UInt8>) -> SocketAddress? {
    if node.first == UInt8(ascii: "[") {
      guard let close = node.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let behind = node[(close + 1)...]
      guard behind.isEmpty || isPort(behind) else { return nil }
      let inside = node[(node.startIndex + 1)..<close]
      return inside.contains(UInt8(ascii: ":")) ? SocketAddress(text: inside) : nil
    }
    guard let colon = node.firstIndex(of: UInt8(ascii: ":")), !node[(colon + 1)...].contains(UInt8(ascii: ":")) else {
      return SocketAddress(text: node)
    }
    return isPort(node[colon...]) ? SocketAddress(text: node[..<colon]) : nil
  }

  /// A colon with a port behind it, or with what stands for one.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == UInt8(ascii: ":") && bytes.count > 1
      && bytes.dropFirst().allSatisfy { ByteClass.isAlphanumeric($0) || "._-".utf8.contains($0) }
  }
}
