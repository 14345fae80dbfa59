import TableModel
import Testing

@Suite struct CursorTests {
  private static let epoch = Epoch(rawValue: 0x8f2c_61d0_9a4e)

  @Test(
    "What is a cursor is read, and written as it was",
    arguments: [
      "8f2c61d09a4e.42", "8f2c61d09a4e.1.3", "000000000000.1", "8f2c61d09a4e.18446744073709551615.18446744073709551615",
      "8f2c61d09a4e.42~r50", "8f2c61d09a4e.42.3~r50.v0123456789abcdef", "8f2c61d09a4e.42~of.another-release_2~x",
      "8f2c61d09a4e.42~" + String(repeating: "x", count: 184),
    ]
  )
  func reads(_ text: String) {
    #expect(Cursor(text)?.description == text)
    #expect(Cursor(Substring(text)) == Cursor(text))
  }

  @Test(
    "What is none is not",
    arguments: [
      "", ".", "~", "8f2c61d09a4e", "8f2c61d09a4e.", "8f2c61d09a4e.x", "8f2c61d09a4e.-1", "8f2c61d09a4e.+1",
      "8f2c61d09a4e.042", "8f2c61d09a4e.1.", "8f2c61d09a4e.1.0", "8f2c61d09a4e.0", "8f2c61d09a4e.0~r50",
      "8f2c61d09a4e.1.01", "8f2c61d09a4e.1.2.3",
      "8f2c61d09a4e.18446744073709551616", "8F2C61D09A4E.1", "8f2c61d09a4.1", "8f2c61d09a4e1.1", "8f2c61d09a4g.1",
      "8f2c61d09a4e.1~", "8f2c61d09a4e.1.~r5", "8f2c61d09a4e~r5", "8f2c61d09a4e.1~r5 ", "8f2c61d09a4e.1~r/5",
      "8f2c61d09a4e.1~ré", "8f2c61d09a4e.\u{661}", " 8f2c61d09a4e.1", "8f2c61d09a4e.1\n",
      "8f2c61d09a4e.42~" + String(repeating: "x", count: 185),
    ]
  )
  func refuses(_ text: String) { #expect(Cursor(text) == nil) }

  @Test func anEmptyLensIsNone() {
    let plain = Cursor(epoch: Self.epoch, version: 42)
    #expect(Cursor(epoch: Self.epoch, version: 42, lens: LensTag()) == plain)
    #expect(plain.description == "8f2c61d09a4e.42" && plain.lens == nil && plain.lensTag == LensTag())
    let cut = Cursor(epoch: Self.epoch, version: 42, taps: 3, lens: LensTag(rows: WindowRange(50)))
    #expect(cut.description == "8f2c61d09a4e.42.3~r50" && cut.lensTag?.rows == WindowRange(50))
    #expect(Cursor("8f2c61d09a4e.42~of.another")?.lensTag == nil)
  }

  @Test("The largest cursor that is given can be read again") func largest() {
    let digest = LensTag.Digest(rawValue: .max)
    let lens = LensTag(rows: WindowRange(from: WindowRange.last - 9_999, rows: 10_000), view: digest, cells: digest)
    let cursor = Cursor(epoch: Self.epoch, version: .max, taps: .max, lens: lens)
    #expect(Cursor(cursor.description) == cursor && cursor.description.utf8.count < Cursor.maximumLength)
  }

  @Test(
    "As new: the same epoch, and neither number smaller",
    arguments: [
      ("8f2c61d09a4e.5.2", "8f2c61d09a4e.5.2", true), ("8f2c61d09a4e.6.2", "8f2c61d09a4e.5.2", true),
      ("8f2c61d09a4e.5.3", "8f2c61d09a4e.5.2", true), ("8f2c61d09a4e.6.1", "8f2c61d09a4e.5.2", false),
      ("8f2c61d09a4e.4.3", "8f2c61d09a4e.5.2", false), ("8f2c61d09a4e.9", "8f2c61d09a4e.5", true),
      ("8f2c61d09a4e.9", "8f2c61d09a4e.5.1", false), ("8f2c61d09a4e.10", "8f2c61d09a4e.9", true),
      ("8f2c61d09a4f.9", "8f2c61d09a4e.5", false), ("8f2c61d09a4e.5~r5", "8f2c61d09a4e.5~r7", true),
    ]
  )
  func order(_ one: String, _ other: String, _ isAsNew: Bool) throws {
    #expect(try #require(Cursor(one)).isAsNew(as: try #require(Cursor(other))) == isAsNew)
  }
}

@Suite struct LensTagTests {
  private static let digest = LensTag.Digest(rawValue: 0x0123_4567_89ab_cdef)

  @Test("What is a tag is read, and written as it was")
  func reads() {
    for rows in [nil, WindowRange(1), WindowRange(10_000), WindowRange(from: 100, through: 149)] {
      for view in [nil, Self.digest] {
        for cells in [nil, LensTag.Digest(rawValue: 1)] {
          let tag = LensTag(rows: rows, view: view, cells: cells)
          #expect(tag.isEmpty ? LensTag(tag.description) == nil : LensTag(tag.description) == tag)
        }
      }
    }
    let tag = LensTag(rows: WindowRange(50), view: Self.digest, cells: LensTag.Digest(rawValue: 1))
    #expect(tag.description == "r50.v0123456789abcdef.c0000000000000001")
  }

  @Test(
    "What is none is not",
    arguments: [
      "", "r", "r0", "r05", "r+5", "r10001", "r-1", "50", "R50", "r50.", ".r50", "r50.r50", "v0123456789abcdef.r50",
      "v",
      "v0123456789abcde", "v0123456789abcdeF", "v0123456789abcdef0", "c0123456789abcdef.v0123456789abcdef", "x1",
      "r50.x1", "r50-v0123456789abcdef", "r0-49", "r9-3", "r5-", "r-5", "r05-9", "r1-10001", "r1-2-3",
    ]
  )
  func refuses(_ text: String) { #expect(LensTag(text) == nil) }

  @Test func aDigestBeginsAsTheLongerOneDoes() {
    #expect(LensTag.Digest(prefixOf: [1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xff]) == Self.digest)
  }
}
