// What requests name tables and cells by: nothing traps or hangs, and what is read is written as it was.

/// The first byte picks the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTables(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let rest = UnsafeBufferPointer(start: data + 1, count: size - 1)
  if data[0] % 2 == 0 {
    checkReference(String(decoding: rest, as: UTF8.self))
  } else {
    checkCells(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

private func checkReference(_ segment: String) {
  guard let reference = TableReference(segment: segment) else { return }
  precondition(TableReference(segment: reference.segment) == reference, "a reference is what its segment says")
}

private func checkCells(_ field: String) {
  let members = field.utf8.split(separator: UInt8(ascii: ",")).map { trimmed(Array($0)) }.filter { !$0.isEmpty }
  guard let cells = try? AcceptedCells(members) else { return }
  for member in members.prefix(8) {
    let name = trimmed(Array(member.utf8.prefix { $0 != UInt8(ascii: ";") }))
    precondition(name.isEmpty || cells.accepts(name, version: 0), "what is listed is accepted: `\(name)`")
  }
}

/// Without the blanks around it (RFC 9110 section 5.6.3).
private func trimmed(_ bytes: [UInt8]) -> String {
  let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
  let rest = bytes.drop(while: isBlank)
  let end = rest.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? rest.startIndex
  return String(decoding: rest[..<end], as: UTF8.self)
}
