// What requests name tables and cells by, what tokens name tables by, and merge patches: nothing traps or hangs, what is
// read is written as it was, and each agrees with an implementation that is as plain as can be.
import JSON

/// The first byte picks the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTables(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let rest = UnsafeBufferPointer(start: data + 1, count: size - 1)
  switch data[0] % 4 {
  case 0: checkReference(String(decoding: rest, as: UTF8.self))
  case 1: checkCells(String(decoding: rest, as: UTF8.self))
  case 2: checkGlob(rest.split(separator: 0, maxSplits: 1).map { Array($0) })
  default: checkPatch(rest.split(separator: 0, maxSplits: 1).map { Array($0) })
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

/// Against what tries every length of every star, where that is short enough to end.
private func checkGlob(_ parts: [[UInt8]]) {
  guard parts.count == 2 else { return }
  let (pattern, name) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
  let isMatch = Glob(pattern).matches(name)
  guard pattern.utf8.count <= 10, name.utf8.count <= 10 else { return }
  precondition(isMatch == matches(Array(name.utf8)[...], Array(pattern.utf8)[...]), "`\(pattern)` and `\(name)`")
}

private func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
  guard let first = pattern.first else { return name.isEmpty }
  guard first == UInt8(ascii: "*") else { return name.first == first && matches(name.dropFirst(), pattern.dropFirst()) }
  return (0...name.count).contains { matches(name.dropFirst($0), pattern.dropFirst()) }
}

/// A target and a patch (RFC 7396): merging twice is merging once, and `{}` changes nothing.
private func checkPatch(_ parts: [[UInt8]]) {
  let values = parts.compactMap { try? JSONValue(parsing: $0) }
  guard values.count == 2 else { return }
  let merged = values[0].merging(patch: values[1])
  precondition(merged.merging(patch: values[1]).bytes == merged.bytes)
  if case .object = values[0] { precondition(values[0].merging(patch: .object([])).bytes == values[0].bytes) }
  precondition((try? JSONValue(parsing: merged.bytes)) != nil)
}
