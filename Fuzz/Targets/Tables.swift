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
  let members = field.split(separator: ",").map { String($0).trimmingSpaces }
  guard let cells = try? AcceptedCells(members) else { return }
  for member in members.prefix(8) {
    let name = String(member.prefix { $0 != ";" }).trimmingSpaces
    precondition(name.isEmpty || cells.accepts(name, version: 0), "what is listed is accepted: `\(name)`")
  }
}
