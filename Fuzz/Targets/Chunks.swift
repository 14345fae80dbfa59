// The chunked transfer coding: byte by byte as at once, and what is accepted decodes to what the chunks say.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunks(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  var limits = Configuration.Limits()
  limits.body = 4096
  limits.head = 512
  limits.fields = 8
  let atOnce = decode([bytes], limits)
  precondition(decode(bytes.map { [$0] }, limits) == atOnce)
  // A decoder that is done takes nothing more.
  if case .done(let body, let used) = atOnce {
    precondition(used <= bytes.count && body.count <= limits.body)
    precondition(decode([Array(bytes[..<used])], limits) == atOnce)
    precondition(decode([bytes + Array("0\r\n\r\n".utf8)], limits) == atOnce)
  }
  return 0
}

private enum Decoded: Equatable {
  case partial([UInt8])
  case done([UInt8], used: Int)
  case refused(Refusal)
}

private func decode(_ parts: [[UInt8]], _ limits: Configuration.Limits) -> Decoded {
  var decoder = ChunkedDecoder()
  var body: [UInt8] = []
  var used = 0
  for part in parts {
    var index = 0
    do {
      try decoder.decode(part.span, &index, into: &body, limits)
    } catch {
      return .refused(error)
    }
    used += index
    if decoder.isDone { return .done(body, used: used) }
    precondition(index == part.count)
  }
  return .partial(body)
}
