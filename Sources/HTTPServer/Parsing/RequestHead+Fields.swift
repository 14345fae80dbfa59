extension RequestHead {
  func firstIndex(of folded: [UInt8]) -> Int? {
    fields.firstIndex { matches($0, folded) }
  }

  func indices(of folded: [UInt8]) -> [Int] {
    fields.indices.filter { matches(fields[$0], folded) }
  }

  private func matches(_ field: Field, _ folded: [UInt8]) -> Bool {
    guard Int(field.nameEnd - field.nameStart) == folded.count else { return false }
    var index = Int(field.nameStart)
    for byte in folded {
      if ByteClass.lowercased(bytes[index]) != byte { return false }
      index += 1
    }
    return true
  }

  func valueBytes(at index: Int) -> ArraySlice<UInt8> {
    bytes[Int(fields[index].valueStart)..<Int(fields[index].valueEnd)]
  }

  func value(at index: Int) -> String { String(field: valueBytes(at: index)) }

  func name(at index: Int) -> String {
    String(decoding: bytes[Int(fields[index].nameStart)..<Int(fields[index].nameEnd)], as: UTF8.self)
  }
}
