internal import Glibc

extension [UInt8] {
  /// Asks the kernel for pages of 2 MB under what is reserved: filled from front to end once, a long array otherwise spends more
  /// on page faults than on its bytes. Where the kernel gives none, nothing changes (`madvise`, `MADV_HUGEPAGE`).
  mutating func useHugePages() {
    let size = UInt(1 << 21)
    let capacity = UInt(capacity)
    withUnsafeMutableBytes { bytes in
      let start = UInt(bitPattern: bytes.baseAddress)
      let (first, end) = ((start + size - 1) / size * size, (start + capacity) / size * size)
      guard start > 0, end > first else { return }
      _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE)
    }
  }
}
