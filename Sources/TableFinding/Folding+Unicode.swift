internal import _FoundationICU

/// Texts of more than ASCII: NFKD, case folding, NFKD, and no marks.
extension Folding {
  /// None where ICU fails. O(bytes).
  static func unicode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard text.count <= Int32.max / 32, let units = folded(text) else { return [] }
    var words: [UInt8] = []
    words.reserveCapacity(units.count * 2 + 16)
    var isInWord = false
    var hasLetter = false
    var place = 0
    while place < units.count {
      let scalar = scalar(in: units, at: &place)
      // ICU's numbers of categories: letters are 1 to 5, marks 6 to 8, numbers 9 to 11.
      let category = swift_u_charType(UChar32(bitPattern: scalar.value))
      guard 1...11 ~= category else {
        isInWord = false
        continue
      }
      if !isInWord { hasLetter = false }
      isInWord = true
      if 6...8 ~= category { continue }
      if !hasLetter { words.append(word) }
      hasLetter = true
      if scalar.value >= 0x0E00, beginsAnywhere(scalar) { words.append(letter) }
      words.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    return words
  }

  /// Letters of scripts that are written without spaces between words.
  private static func beginsAnywhere(_ scalar: Unicode.Scalar) -> Bool {
    // The length mark of kana and 〆 are of no one script, but stand in such words alone (`Script_Extensions`).
    if scalar == "\u{30FC}" || scalar == "\u{3006}" { return true }
    var status = U_ZERO_ERROR
    switch swift_uscript_getScript(UChar32(bitPattern: scalar.value), &status) {
    case USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI, USCRIPT_LAO, USCRIPT_KHMER, USCRIPT_MYANMAR:
      return true
    default:
      return false
    }
  }

  private static func scalar(in units: [UInt16], at place: inout Int) -> Unicode.Scalar {
    let unit = units[place]
    place += 1
    if UTF16.isLeadSurrogate(unit), place < units.count, UTF16.isTrailSurrogate(units[place]) {
      let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(units[place]) - 0xDC00)
      place += 1
      return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
    return Unicode.Scalar(unit) ?? "\u{FFFD}"
  }

  /// A text's UTF-16 without marks, of which its words have none anyway: the words are the same to the byte.
  ///
  /// ICU moves each mark past all those of a higher class before it, so that a long run takes the square of its
  /// length. O(bytes).
  static func unmarked(_ text: UnsafeBufferPointer<UInt8>) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where !isMark(scalar) {
      if let unit = UInt16(exactly: scalar.value) {
        units.append(unit)
      } else {
        units.append(contentsOf: scalar.utf16)
      }
    }
    return units
  }

  /// Returns whether a character becomes marks alone, as folding has it.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    // The first mark.
    guard scalar.value >= 0x0300 else { return false }
    switch scalar {
    // Of all marks the iota below a letter alone becomes a letter. Those that are left of a run are of one class.
    case "\u{0345}": return false
    // Letters by their category, but NFKD makes marks of them: the narrow voiced sounds of kana.
    case "\u{FF9E}", "\u{FF9F}": return true
    default: return 6...8 ~= swift_u_charType(UChar32(bitPattern: scalar.value))
    }
  }

  private static func folded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt16]? {
    var status = U_ZERO_ERROR
    guard let nfkd = swift_unorm2_getNFKDInstance(&status), status.rawValue <= U_ZERO_ERROR.rawValue else {
      return nil
    }
    let decompose: Step = { from, count, to, capacity, status in
      swift_unorm2_normalize(nfkd, from, count, to, capacity, &status)
    }
    let foldCase: Step = { from, count, to, capacity, status in
      swift_u_strFoldCase(to, capacity, from, count, UInt32(U_FOLD_CASE_DEFAULT), &status)
    }
    var units = unmarked(text)
    for step in [decompose, foldCase, decompose] {
      guard let next = apply(step, to: units) else { return nil }
      units = next
    }
    return units
  }

  /// A function of ICU's: what it reads and how much, where it writes and how much at most; it returns how much there is.
  private typealias Step = (
    UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt16>?, Int32, inout UErrorCode
  ) -> Int32

  private static func apply(_ step: Step, to units: [UInt16]) -> [UInt16]? {
    var capacity = units.count + units.count / 2 + 64
    // A second time where the first guess was too low.
    for _ in 0..<2 {
      var status = U_ZERO_ERROR
      var needed: Int32 = 0
      let result = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
        needed = units.withUnsafeBufferPointer { from in
          step(from.baseAddress, Int32(from.count), buffer.baseAddress, Int32(buffer.count), &status)
        }
        count = min(max(Int(needed), 0), buffer.count)
      }
      if status.rawValue <= U_ZERO_ERROR.rawValue { return result }
      guard status == U_BUFFER_OVERFLOW_ERROR else { return nil }
      capacity = Int(needed) + 1
    }
    return nil
  }
}
