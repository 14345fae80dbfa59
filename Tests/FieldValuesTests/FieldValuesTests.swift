import FieldValues
import Testing

@Suite struct FieldValuesTests {
  @Test func daysAreCountedBothWays() {
    #expect(CivilDate(daysSinceEpoch: 0) == CivilDate(year: 1970, month: 1, day: 1))
    #expect(CivilDate(daysSinceEpoch: 19_782) == CivilDate(year: 2024, month: 2, day: 29))
    #expect(CivilDate(daysSinceEpoch: -719_528) == CivilDate(year: 0, month: 1, day: 1))
    #expect(CivilDate(year: 2023, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 1900, month: 2, day: 29) == nil)
    #expect(CivilDate(year: 2000, month: 13, day: 1) == nil)
    for days in stride(from: -1_000_000, through: 1_000_000, by: 97) {
      #expect(CivilDate(daysSinceEpoch: days).daysSinceEpoch == days)
    }
  }

  @Test func bytesAsDigits() { #expect(hexadecimal([0, 9, 10, 171, 255] as [UInt8]) == "00090aabff") }

  @Test(
    arguments: [("a b/c", "a%20b%2Fc"), ("é~", "%C3%A9~"), ("", ""), ("100%", "100%25")] as [(String, String)]
  )
  func percentCodingGoesBothWays(_ text: String, _ encoded: String) {
    #expect(PercentCoding.encode(text) == encoded)
    #expect(PercentCoding.decode(encoded.utf8) == Array(text.utf8))
  }

  @Test(arguments: [([], ""), ([0, 9, 10, 15, 16, 255], "00090a0f10ff")] as [([UInt8], String)])
  func hexadecimalDigits(_ bytes: [UInt8], _ digits: String) { #expect(hexadecimal(bytes) == digits) }

  @Test(
    arguments: [
      ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "ab", false), ("\u{e9}", "\u{e9}", true),
      ("\u{e9}", "e\u{301}", false), ("\u{1f468}", "\u{1f469}", false),
    ] as [(String, String, Bool)]
  )
  func textsAreToldByTheirBytes(_ first: String, _ second: String, _ areSame: Bool) {
    #expect(first.isExactly(second) == areSame)
    #expect((ByteText(first) == ByteText(second)) == areSame)
  }

  @Test(arguments: ["%", "%2", "%2g", "a%"])
  func halfAnEscapeIsNone(_ text: String) {
    #expect(PercentCoding.decode(text.utf8) == nil)
  }

  @Test(
    arguments: [
      ("lenght", "length"), ("SUM", "sum"), ("tilte", "title"), ("zebra", nil), ("", nil),
    ] as [(String, String?)]
  )
  func theNearestName(_ word: String, _ expected: String?) {
    #expect(Nearest.name(to: word, among: ["length", "sum", "title"]) == expected)
  }
}
