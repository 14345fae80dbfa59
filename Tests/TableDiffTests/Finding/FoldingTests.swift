import TableModel
import TestSupport
import Testing
import _FoundationICU

@testable import TableFinding

@Suite struct FoldingTests {
  @Test(arguments: [
    ("", []), ("Hello, World!", ["hello", "world"]), ("foo_bar", ["foo", "bar"]), ("example.com", ["example", "com"]),
    ("Straße", ["strasse"]), ("STRASSE", ["strasse"]), ("Été", ["ete"]), ("e\u{301}te\u{301}", ["ete"]),
    ("ＡＢＣ１２", ["abc12"]), ("ﬁsh", ["fish"]), ("İstanbul", ["istanbul"]), ("Ǆ", ["dz"]), ("Σίσυφος", ["σισυφοσ"]),
    ("ᾳ", ["αι"]), ("漢字", ["漢字"]), ("ｶﾞ", ["カ"]), ("한글", ["한글".decomposed]), ("x²", ["x2"]), ("  a  b ", ["a", "b"]),
    ("\u{301}", []), ("naïve-café", ["naive", "cafe"]), ("½", ["1", "2"]), ("don't", ["don", "t"]),
  ])
  func `words are folded`(text: String, expected: [String]) {
    #expect(Folding.terms(of: text) == expected.map { Array($0.utf8) })
  }

  @Test func `terms that are folded again are the same`() {
    for text in FindingTrial.words + ["ᾳ", "ﷺ", "㍿", "ﾊﾟ", "각", "สวัสดี", "မြန်မာ"] {
      for term in Folding.terms(of: text) {
        #expect(Folding.terms(of: String(decoding: term, as: UTF8.self)) == [term])
      }
    }
  }

  // ICU moves each mark past those of a higher class: runs of other marks than these cost the square of their length.
  @Test(arguments: [
    ("\u{301}\u{323}", "", ""), ("\u{F71}\u{316}", "", ""), ("\u{1D165}\u{1D16D}", "", ""),
    ("\u{FF9E}\u{301}", "", ""), ("\u{345}\u{FF9F}\u{301}", "\u{345}", "ι"),
  ])
  func `no mark of a long run is given to ICU but those of one class`(marks: String, kept: String, folded: String) {
    func long(_ part: String) -> String { "a" + String(repeating: part, count: 60_000) + "b" }
    var text = long(marks)
    let units = text.withUTF8 { Folding.unmarked($0) }
    #expect(units.elementsEqual(long(kept).utf16))
    #expect(Folding.words(of: text).elementsEqual("\0\(long(folded))".utf8))
  }

  @Test func `every mark is folded as in a text that keeps it`() {
    let marks = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }.filter { PlainFolding.isMark($0) }
    #expect(marks.count > 2_000)
    for mark in marks + ["\u{FF9E}", "\u{FF9F}"] {
      for text in ["x\(mark)y", "\(mark)", "α\u{345}\(mark)\u{301}y", ".\(mark)x"] {
        #expect(Folding.terms(of: text) == PlainFolding.terms(of: text), "U+\(String(mark.value, radix: 16))")
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `texts are folded as if marks went last`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("aZß9éİΣαᾴﬁ½ﷺ각한ᄀがｶ漢กကक.- _\u{1D15E}\u{200D}".unicodeScalars)
    let marks: [Unicode.Scalar] = [
      "\u{301}", "\u{323}", "\u{327}", "\u{345}", "\u{5B0}", "\u{93F}", "\u{94D}", "\u{E31}", "\u{F71}", "\u{F73}",
      "\u{103C}", "\u{3099}", "\u{FF9E}", "\u{FF9F}", "\u{1D165}",
    ]
    for _ in 0..<200 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let isMark = Int.random(in: 0..<3, using: &random) > 0
        if let scalar = (isMark ? marks : letters).randomElement(using: &random) { text.append(scalar) }
      }
      let whole = String(text)
      #expect(Folding.terms(of: whole) == PlainFolding.terms(of: whole), "seed \(seed)")
    }
  }

  @Test(arguments: [
    FindSearch(), FindSearch(words: [Array("swi".utf8)]), FindSearch(words: [Array("b".utf8), Array("a".utf8)]),
    FindSearch(choices: [.init(filter: Array("a.b".utf8), value: Array("x y_-~".utf8))]),
    FindSearch(words: [Array("漢".utf8)], sort: Array("newest".utf8)),
    FindSearch(choices: [.init(filter: Array("f".utf8), value: [])], sort: Array("s".utf8)),
  ])
  func `a search is written in one way`(search: FindSearch) {
    let text = search.description
    #expect(FindSearch(text) == search)
    #expect(
      text.utf8.allSatisfy {
        UInt8(ascii: "~") == $0 || "-_".utf8.contains($0) || Character(Unicode.Scalar($0)).isLetter
          || Character(Unicode.Scalar($0)).isNumber
      }
    )
  }

  @Test(arguments: ["b-a", "a-a", "~61", "~6", "a~zz", "_x", "x_", "a_f-1_e-1", "a.b", "a_-s_-t"])
  func `anything else is none`(text: String) { #expect(FindSearch(text) == nil) }
}

/// Folding as it is described: NFKD, case folding, NFKD, and marks last. Not for long runs of marks.
private enum PlainFolding {
  static func terms(of text: String) -> [[UInt8]] {
    var status = U_ZERO_ERROR
    let nfkd = swift_unorm2_getNFKDInstance(&status)
    var units = Array(text.utf16)
    for foldsCase in [false, true, false] {
      let read = units
      // No character becomes more than 18.
      units = [UInt16](unsafeUninitializedCapacity: read.count * 20 + 16) { made, count in
        let (length, room) = (Int32(read.count), Int32(made.count))
        let needed =
          foldsCase
          ? swift_u_strFoldCase(made.baseAddress, room, read, length, UInt32(U_FOLD_CASE_DEFAULT), &status)
          : swift_unorm2_normalize(nfkd, read, length, made.baseAddress, room, &status)
        count = min(Int(needed), made.count)
      }
    }
    #expect(status.rawValue <= U_ZERO_ERROR.rawValue)
    var words: [[UInt8]] = [[]]
    for scalar in String(decoding: units, as: UTF16.self).unicodeScalars {
      if !(1...11 ~= category(scalar)) {
        words.append([])
      } else if !isMark(scalar) {
        words[words.count - 1] += Array(String(scalar).utf8)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  static func isMark(_ scalar: Unicode.Scalar) -> Bool { 6...8 ~= category(scalar) }

  private static func category(_ scalar: Unicode.Scalar) -> Int8 { swift_u_charType(UChar32(bitPattern: scalar.value)) }
}

extension String {
  /// As NFKD has it.
  fileprivate var decomposed: String { String(decodingNFD: self) }

  private init(decodingNFD text: String) {
    // Hangul syllables are three times letters, by arithmetic.
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let index = Int(scalar.value) - 0xAC00
      for code in [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28] where code != 0x11A7 {
        if let letter = Unicode.Scalar(UInt32(code)) { scalars.append(letter) }
      }
    }
    self.init(scalars)
  }
}
