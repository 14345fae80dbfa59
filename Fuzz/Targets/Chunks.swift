// The chunked transfer coding: byte by byte as at once, and what is accepted decodes to what the chunks say.

func fuzzChunks(_ bytes: [UInt8]) {
  var limits = Configuration.Limits()
  limits.body = 256
  limits.head = 128
  limits.fields = 8
  let atOnce = decode(bytes, step: bytes.count, limits)
  precondition(decode(bytes, step: 1, limits) == atOnce)
  // A decoder that is done takes nothing more.
  if case .done(let body, let used) = atOnce {
    precondition(used <= bytes.count && body.count <= limits.body)
    precondition(decode(Array(bytes[..<used]), step: used, limits) == atOnce)
    precondition(decode(bytes + Array("0\r\n\r\n".utf8), step: bytes.count + 5, limits) == atOnce)
  }
}

private enum Decoded: Equatable {
  case partial([UInt8])
  case done([UInt8], used: Int)
  case refused(Refusal)
}

private func decode(_ bytes: [UInt8], step: Int, _ limits: Configuration.Limits) -> Decoded {
  var decoder = ChunkedDecoder()
  var body: [UInt8] = []
  var used = 0
  while used < bytes.count {
    let part = bytes.span.extracting(used..<min(used + step, bytes.count))
    var index = 0
    do {
      try decoder.decode(part, &index, into: &body, limits)
    } catch {
      return .refused(error)
    }
    used += index
    if decoder.isDone { return .done(body, used: used) }
    precondition(index == part.count)
  }
  return .partial(body)
}
