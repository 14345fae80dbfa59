internal import CSimdJSON

/// The bytes of a text, and behind them the readable room that simdjson asks for: it loads whole registers and so
/// looks, without using what it sees, past the end.
///
/// A big array that was grown has that room behind its elements; it is then kept and read where it is. All else is
/// copied.
struct PaddedText: ~Copyable {
  /// Without the padding. Valid as long as this value.
  let bytes: UnsafeRawBufferPointer
  private let memory: Memory

  private enum Memory {
    case copy(UnsafeMutableRawBufferPointer)
    /// Referenced here, so that its elements stay where they are: who wants to change them gets a copy.
    case array([UInt8])
  }

  /// Below, a copy costs nothing that can be measured.
  private static let smallestKept = 64 << 10

  init(_ array: [UInt8]) {
    let hasRoom = array.count >= Self.smallestKept && array.capacity - array.count >= Parser.padding
    if hasRoom, !array.withUnsafeBytes({ Self.hasByteOrderMark($0) }) {
      memory = .array(array)
      // The elements of an array that is not empty lie in one allocation of `capacity` bytes, which lives as long as
      // a reference to the array: `memory` is one.
      bytes = array.withUnsafeBytes { $0 }
    } else {
      let copy = array.withUnsafeBytes { Self.padded($0) }
      memory = .copy(copy)
      bytes = UnsafeRawBufferPointer(rebasing: copy[..<array.count])
    }
  }

  init(copying text: UnsafeRawBufferPointer) {
    let copy = Self.padded(text)
    memory = .copy(copy)
    bytes = UnsafeRawBufferPointer(rebasing: copy[..<text.count])
  }

  deinit {
    if case .copy(let copy) = memory { copy.deallocate() }
  }

  private static func hasByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
  }

  /// A copy with padding, to be deallocated.
  private static func padded(_ text: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    let copy = allocate(text.count + Parser.padding)
    copy.copyMemory(from: text)
    if hasByteOrderMark(text) {
      // It is no JSON, but common; RFC 8259 §8.1 allows to ignore it.
      for position in 0..<3 { copy[position] = UInt8(ascii: " ") }
    }
    UnsafeMutableRawBufferPointer(rebasing: copy[text.count...]).initializeMemory(as: UInt8.self, repeating: 0x20)
    return copy
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    guard count >= 4 << 20 else { return .allocate(byteCount: count, alignment: 64) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 2 << 20)
    csimdjson_advise(buffer.baseAddress, count)
    return buffer
  }
}
