internal import Glibc

enum RawBytes {
  /// O(n), at the speed of memory.
  @inline(__always)
  static func equal(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count, let start = first.baseAddress, let other = second.baseAddress else {
      return first.count == second.count
    }
    return memcmp(start, other, first.count) == 0
  }
}
