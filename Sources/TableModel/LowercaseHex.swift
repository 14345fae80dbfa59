extension UInt64 {
  /// Reads exactly so many lower-case hex digits; nil for anything else.
  init?(lowercaseHex text: some StringProtocol, digits: Int) {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    self.init(text, radix: 16)
  }

  /// With leading zeros, to so many digits.
  func lowercaseHex(digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
