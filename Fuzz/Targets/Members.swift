// Elements of a list of which some members are read: these are as when all is read, and what is no JSON is none either way.
import JSON

private let paths = [["a"], ["b", "c"], ["b", "d"], [""], ["größe"]]

/// What stands between the brackets of a list.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMembers(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  // So that no element is too near to the end of the text.
  let text = Array("[".utf8) + UnsafeBufferPointer(start: data, count: size) + Array("]".utf8)
  guard let list = try? ListedText(text + [UInt8](repeating: 0x20, count: 256)) else { return 0 }
  let selection = paths.reduce(into: MemberSelection()) { $0.formUnion(MemberSelection(path: $1)) }
  let (whole, selecting) = (ListReader(list), ListReader(list, selecting: selection))
  for element in list.elements.indices {
    let (one, other) = (read(element, of: whole), read(element, of: selecting))
    precondition(one == other)
  }
  return 0
}

/// As JSON text; nil where the element is no JSON.
private func read(_ element: Int, of reader: ListReader) -> [String?]? {
  try? reader.withElement(element) { root in
    paths.map { path in
      var view: JSONView? = root
      for name in path { view = view?[name] }
      guard let view else { return nil }
      var writer = JSONWriter()
      writer.write(view)
      return String(decoding: writer.bytes, as: UTF8.self) + "\(view.count)"
    }
  }
}
