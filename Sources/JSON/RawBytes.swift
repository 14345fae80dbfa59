internal import Glibc

package enum RawBytes {
  /// O(n), at the speed of memory.
  package static func equal(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count, let start = first.baseAddress, let other = second.baseAddress else {
      return first.count == second.count
    }
    return memcmp(start, other, first.count) == 0
  }
}
