extension UInt64 {
  /// Reads exactly so many lower-case hex digits; nil for anything else.
  init?(lowercaseHex text: some StringProtocol, digits: Int) {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    self.init(text, radix: 16)
  }

  /// With leading zeros, to so many digits.
  func lowercaseHex(digits: Int) -> String {
    let count = Swift.max(digits, (UInt64.bitWidth - leadingZeroBitCount + 3) / 4)
    return String(unsafeUninitializedCapacity: count) { text in
      for (index, shift) in stride(from: (count - 1) * 4, through: 0, by: -4).enumerated() {
        let digit = UInt8(truncatingIfNeeded: self >> shift) & 15
        text.initializeElement(at: index, to: digit < 10 ? 48 + digit : 87 + digit)
      }
      return count
    }
  }
}
