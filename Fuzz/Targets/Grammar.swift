// Targets and header values: nothing that comes out may hold what its grammar forbids.

func fuzzGrammar(_ input: [UInt8]) {
  guard !input.isEmpty else { return }
  let bytes = Array(input[1...])
  switch input[0] % 6 {
  case 0: checkTarget(bytes)
  case 1: _ = Authority.isValid(bytes[...])
  case 2: checkCodings(bytes)
  case 3: checkTags(bytes)
  case 4: checkList(bytes)
  default: checkField(bytes)
  }
}

private func checkTarget(_ bytes: [UInt8]) {
  for method in [Method.get, .options] {
    guard let (target, authority) = try? RequestTarget.parse(bytes[...], method: method) else { continue }
    for segment in target.segments {
      precondition(segment != "." && segment != "..")
      precondition(segment.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
    }
    precondition(target.rawPath == "*" || target.rawPath.hasPrefix("/"))
    if let authority { _ = Authority.isValid(authority) }
  }
}

private func checkCodings(_ bytes: [UInt8]) {
  let codings = AcceptedCodings(bytes[...])
  precondition(Set(codings.ordered).count == codings.ordered.count)
}

private func request(_ name: String, _ value: [UInt8]) -> Request? {
  let text = Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): ".utf8) + value + Array("\r\n\r\n".utf8)
  guard let head = try? RequestHead.parse(text, Configuration.Limits()) else { return nil }
  return Request(head: head, body: [], peer: SocketAddress(ipv4: 0, port: 0), serial: 0)
}

private func checkTags(_ bytes: [UInt8]) {
  guard let request = request("If-None-Match", bytes), case .tags(let tags)? = request.ifNoneMatch else { return }
  for tag in tags { precondition(!tag.opaque.utf8.contains(UInt8(ascii: "\""))) }
}

private func checkList(_ bytes: [UInt8]) {
  guard let request = request("Accept-Cells", bytes) else { return }
  request.forEachMember(of: .acceptCells) { member in
    precondition(!member.isEmpty && member.first != 0x20 && member.last != 0x20)
    return true
  }
}

private func checkField(_ bytes: [UInt8]) {
  var line: [UInt8] = []
  HeaderField(.location, String(decoding: bytes, as: UTF8.self)).append(to: &line)
  precondition(line.filter { $0 == 0x0d || $0 == 0x0a }.count == 2)
}
