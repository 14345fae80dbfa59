internal import CICU

/// How texts are ordered where it is not by their bytes: a text becomes a key once, whose bytes compare as the texts do.
enum TextOrder {
  /// As a language has it: the Unicode collation algorithm with CLDR's tailoring.
  case language(Collator)
  /// By bytes, but numbers in the texts count as numbers.
  case natural

  /// - Parameter locale: A BCP 47 tag.
  /// - Returns: nil where texts are ordered by their bytes, or ICU has no data.
  init?(locale: String?, isNatural: Bool) {
    if let locale, let collator = Collator(locale, isNatural: isNatural) {
      self = .language(collator)
    } else if isNatural {
      self = .natural
    } else {
      return nil
    }
  }

  /// O(n).
  func key(of text: String) -> [UInt8] {
    switch self {
    case .language(let collator): collator.key(of: text)
    case .natural: Self.naturalKey(of: text)
    }
  }

  /// A number is written as a digit, which keeps its place among other characters, how many digits it has, and these:
  /// what has more is greater. Zeros before it don't count.
  private static func naturalKey(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var key: [UInt8] = []
    key.reserveCapacity(bytes.count + 8)
    var position = 0
    while position < bytes.count {
      guard isDigit(bytes[position]) else {
        key.append(bytes[position])
        position += 1
        continue
      }
      let end = bytes[position...].firstIndex { !isDigit($0) } ?? bytes.count
      let digits = bytes[position..<end].drop { $0 == UInt8(ascii: "0") }
      key.append(UInt8(ascii: "0"))
      withUnsafeBytes(of: UInt32(digits.count).bigEndian) { key.append(contentsOf: $0) }
      key += digits
      position = end
    }
    return key
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

/// ICU's order of one language.
final class Collator {
  private let collator: OpaquePointer

  /// Nil where ICU has no data at all; of a language that it doesn't know, the order that all share.
  init?(_ tag: String, isNatural: Bool) {
    guard let collator = cicu_open_collator(tag, isNatural) else { return nil }
    self.collator = collator
  }

  deinit { cicu_close_collator(collator) }

  /// O(n).
  func key(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { utf8 in
      let characters = UnsafeRawBufferPointer(utf8).assumingMemoryBound(to: CChar.self)
      var needed = utf8.count * 3 + 16
      var key: [UInt8] = []
      // A second time where the first guess was too low.
      repeat {
        let capacity = needed
        key = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
          needed = cicu_sort_key(collator, characters.baseAddress, utf8.count, buffer.baseAddress, capacity)
          count = min(needed, capacity)
        }
      } while key.count < needed
      return key
    }
  }
}
