// A list and names of members, both of which are in the input: what simdjson makes of the whole text, of each element, and what
// the parser of members makes of it, with vectors and without, is one and the same; and so is what is refused.
import CJSONMembers
import Glibc
import JSON

/// `name/name NUL name NUL … NUL elements`: up to four paths that are read, then what stands between the list's brackets.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzElements(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let parts = UnsafeBufferPointer(start: data, count: size).split(separator: 0, maxSplits: 4, omittingEmptySubsequences: false)
  guard let last = parts.last else { return 0 }
  let paths = parts.dropLast().compactMap { path in
    String(validating: path, as: UTF8.self)?.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
  }
  let text = Array("[".utf8) + last + Array("]".utf8)
  let limits = JSONLimits()
  // A list is a level more than its elements.
  guard last.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) < limits.maximumDepth else { return 0 }
  let whole = try? Document(text).withRoot { root in (0..<root.count).map { read(root[$0], paths) } }
  guard let list = try? ListedText(text + [UInt8](repeating: 0x20, count: 256)) else {
    require(whole == nil, "the list is refused, and the text is not")
    return 0
  }
  let selection = paths.reduce(into: MemberSelection()) { $0.formUnion(MemberSelection(path: $1)) }
  let (plain, selecting) = (ListReader(list), ListReader(list, selecting: selection))
  var isWhole = true
  for element in list.elements.indices {
    let one = try? plain.withElement(element) { read($0, paths) }
    let other = try? selecting.withElement(element) { read($0, paths) }
    require(one == other, "the parser of members reads another thing")
    if let one, let whole { require(whole[element] == one, "the element is not that of the whole text") }
    isWhole = isWhole && one != nil
    list.withBytes(of: element) { compareScans($0, paths) }
  }
  require(isWhole == (whole != nil), "the elements are taken or refused otherwise than the text")
  return 0
}

/// With words, which an optimised precondition does not say.
private func require(_ isHeld: Bool, _ text: StaticString) {
  guard !isHeld else { return }
  print(text)
  fflush(nil)
  abort()
}

private func read(_ root: JSONView?, _ paths: [[String]]) -> [String?] {
  paths.map { path in
    var view = root
    for name in path { view = view?[name] }
    guard let view else { return nil }
    var writer = JSONWriter()
    writer.write(view)
    return String(decoding: writer.bytes, as: UTF8.self) + "\(view.count)"
  }
}

/// With vectors and without, the same is taken, and the same tape comes of it.
private func compareScans(_ text: UnsafeRawBufferPointer, _ paths: [[String]]) {
  guard text.first == UInt8(ascii: "{") else { return }
  let tapes = [false, true].map { isPortable -> [UInt64]? in
    guard let parser = cjsonmembers_create(64, isPortable) else { return nil }
    defer { cjsonmembers_destroy(parser) }
    for path in paths {
      guard let name = path.first else { continue }
      _ = Array(name.utf8).withUnsafeBufferPointer {
        cjsonmembers_add(parser, CJSONMEMBERS_ROOT, $0.baseAddress, $0.count, true)
      }
    }
    guard cjsonmembers_parse(parser, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count),
      let tape = cjsonmembers_tape(parser)
    else { return nil }
    return Array(UnsafeBufferPointer(start: tape, count: Int(tape[0] & 0xff_ffff_ffff)))
  }
  require(tapes[0] == tapes[1], "with vectors another thing is read than without")
}
