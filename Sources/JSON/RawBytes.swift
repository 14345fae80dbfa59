internal import Glibc

package enum RawBytes {
  /// O(n), at the speed of memory.
  package static func equal(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count, let start = first.baseAddress, let other = second.baseAddress else {
      return first.count == second.count
    }
    return memcmp(start, other, first.count) == 0
  }

  /// Below, equal to or above 0, as the bytes come before, are or come behind the others, one by one. O(n), at the speed of
  /// memory.
  package static func order(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int {
    let count = min(first.count, second.count)
    if count > 0, let start = first.baseAddress, let other = second.baseAddress {
      let order = memcmp(start, other, count)
      if order != 0 { return Int(order) }
    }
    return first.count - second.count
  }
}
