import TableFinding
import TableModel
import Testing

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
