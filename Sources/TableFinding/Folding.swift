/// Text folding for searches: words, folded by ICU, so that case, accents and width don't count.
public enum Folding {
  /// Raised with a change by which a text has other words: rows whose records were made before are searched once they are made anew.
  static let version = 2
  /// Before each word.
  static let word: UInt8 = 0
  /// Before each letter that is searched for wherever it stands in its word: Han, kana, Thai, Lao, Khmer, Myanmar.
  static let letter: UInt8 = 1

  /// The words of a text, one behind the other, each after ``word``. O(bytes).
  static func words(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { utf8 in ascii(utf8) ?? unicode(utf8) }
  }

  /// A search's words: folded, as texts.
  public static func terms(of text: String) -> [[UInt8]] {
    split(words(of: text)).map { $0.filter { $0 != letter } }
  }

  /// Each word, without what stands before it.
  static func split(_ words: [UInt8]) -> [ArraySlice<UInt8>] { words.split(separator: word) }

  /// Returns the patterns that the words of a row have to contain, so that one of them begins with the term.
  static func patterns(of term: [UInt8]) -> [[UInt8]] {
    split(words(of: String(decoding: term, as: UTF8.self))).map { found in
      found.first == letter ? Array(found) : [word] + found
    }
  }

  /// Nil where there is more than ASCII.
  private static func ascii(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
    // Room for nothing is never made: it writes to storage that all empty arrays share.
    guard !text.isEmpty else { return [] }
    return [UInt8](unsafeUninitializedCapacity: text.count * 2) { words, count in
      var isInWord = false
      for byte in text {
        let lower = byte | 0x20
        let isLetter = lower &- UInt8(ascii: "a") < 26
        guard isLetter || byte &- UInt8(ascii: "0") < 10 else {
          isInWord = false
          continue
        }
        if !isInWord {
          words.initializeElement(at: count, to: word)
          count += 1
        }
        isInWord = true
        words.initializeElement(at: count, to: isLetter ? lower : byte)
        count += 1
      }
    }
  }
}
