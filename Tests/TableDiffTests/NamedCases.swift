import TableDiff
import TableModel
import Testing

/// Cases with names: the families of the classic test suites, as one line each.
@Suite struct NamedCases {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let old: String
    let new: String
    /// Nil where only legality, minimality and exactness matter.
    var expected: String?
    var testDescription: String { name }

    init(_ name: String, _ old: String, _ new: String, _ expected: String? = nil) {
      (self.name, self.old, self.new, self.expected) = (name, old, new, expected)
    }
  }

  /// After RxDataSources' simple cases and everyone's.
  static let simple = [
    Case("nothing", "", "", ""),
    Case("nothing changed", "A: a b | B: c", "A: a b | B: c", ""),
    Case("row inserted", "A: a b c", "A: a b c d", "+[0,3]"),
    Case("row deleted", "A: a b c", "A: a c", "-[0,1]"),
    Case("all rows deleted", "A: a b c", "A:", "-[0,0] -[0,1] -[0,2]"),
    Case("all rows inserted", "A:", "A: a b c", "+[0,0] +[0,1] +[0,2]"),
    Case("rows reversed", "A: a b c d", "A: d c b a", "[0,0]>[0,3] [0,1]>[0,2] [0,2]>[0,1]"),
    Case("mixed changes", "A: a b c", "A: c e a' d", "-[0,1] +[0,1] +[0,3] [0,0]>[0,2] ~[0,2]"),
    Case("row exchanged for another", "A: a b c", "A: a x c", "-[0,1] +[0,1]"),
    Case("first row to the end", "A: a b c", "A: b c a", "[0,0]>[0,2]"),
    Case("last row to the front", "A: a b c", "A: c a b", "[0,2]>[0,0]"),
    Case("row updated", "A: a b c", "A: a b' c", "~[0,1]"),
    Case("row updated in the tail", "A: a b c d", "A: b c' d'", "-[0,0] ~[0,1] ~[0,2]"),
    Case("cell exchanged", "A: a b c", "A: a b! c", "![0,1]"),
    Case("row updated and moved", "A: a b c", "A: b' a c", "[0,0]>[0,1] ~[0,0]"),
    Case("row moved, with another cell", "A: a b c d", "A: b c d a!", "[0,0]>[0,3] ![0,3]"),
    Case("row moved behind a deleted one", "A: a b c d", "A: c d a", "-[0,1] [0,0]>[0,2]"),
    Case("row to another section", "A: a b | B: c", "A: b | B: c a", "[0,0]>[1,1]"),
    Case("row to another section, changed", "A: a b | B: c", "A: b | B: c a!", "[0,0]>[1,1] ![1,1]"),
    Case("rows exchanged between sections", "A: a b | B: c d", "A: a d | B: c b", "[0,1]>[1,1] [1,1]>[0,1]"),
  ]

  static let sections = [
    Case("first table", "", "A: a | B: b", "+S0 +S1"),
    Case("last section gone", "A: a", "", "-S0"),
    Case("section inserted", "A: a", "A: a | B: b", "+S1"),
    Case("section deleted between others", "A: a | B: b | C: c", "A: a | C: c", "-S1"),
    Case("first section deleted", "A: a | B: b", "B: b", "-S0"),
    Case(
      "mixed section changes",
      "A: a | B: b | C: c | D: d",
      "D: d | E: e | A: a | C^x: c",
      "-S1 +S1 S3>0 ~S3"
    ),
    Case("first section to the end", "A: a | B: b | C: c", "B: b | C: c | A: a", "S0>2"),
    Case("last section to the front", "A: a | B: b | C: c", "C: c | A: a | B: b", "S2>0"),
    Case("only a header", "A^x: a b", "A^y: a b", "~S0"),
    Case("a header gone, in a section that moved", "A^x: a | B: b | C: c", "B: b | C: c | A: a", "S0>2 ~S2"),
    Case("emptied and filled again", "A: a b", "A: c d", "-[0,0] -[0,1] +[0,0] +[0,1]"),
    Case("all new", "A: a | B: b", "C: c | D: d", "-S0 -S1 +S0 +S1"),
    Case("all rows new sections", "A: a b | B: c", "C: b c | D: a", "-S0 -S1 +S0 +S1"),
    Case("a row out of a deleted section", "A: a b | B: c", "B: c a", "-S0 +[0,1]"),
    Case("a row into an inserted section", "A: a b", "A: b | B: a", "+S1 -[0,0]"),
    Case("a section divided", "A: a b c d", "A: a b | B: c d", "+S1 -[0,2] -[0,3]"),
    Case("two sections joined", "A: a b | B: c d", "A: a b c d", "-S1 +[0,2] +[0,3]"),
    Case("an update in a section that moves", "A: a b | B: c", "B: c | A: a b'", "S0>1 ~[1,1]"),
    Case("the section that stays loses a row", "A: a b | B: c", "B: c | A: b", "S1>0 -[0,0]"),
    Case("the other section loses a row", "A: a | B: c d", "B: d | A: a", "S0>1 -[1,0]"),
    Case("both sections of an exchange change", "A: a b | B: c d", "B: c | A: a", "S0>1 / -[0,1] -[1,1]"),
    Case(
      "the drawing in the documentation",
      "A: a b c | B: d | C: e f",
      "C: f a e | N: d g | A: b h",
      "-S1 S0>1 / +S1 -[1,2] +[2,1] [0,0]>[0,2] [1,0]>[0,1]"
    ),
  ]

  /// After DifferenceKit's and RxDataSources' complicated ones; their duplicates have become rows of their own.
  static let complicated = [
    Case("1", "0: a b | 1: c d | 2: e f", "0: a b | 2: e g f | 3: h i | 4: j k"),
    Case("2", "0: a b | 1: c d | 2: e f", "1: d f | 3: g h i j | 2: k e c | 0: b"),
    Case("3", "0: a b | 1: c d | 2: e f", "0: | 4: i j | 5: k l | 2: e f m | 3: g h | 1^x: c n d"),
    Case("4", "0:", "0^x: a b c | 1: d e f"),
    Case("5", "0: a b c | 1: d e | 2: f g", "0^x: a f d | 1: b e g | 3: | 2^x: c h i j k"),
    Case("6", "0: a | 1: b", "1^x: c b' | 0: a'"),
    Case("7", "0: a b | 1: c d | 2: e f", "0: b' d | 1^x: c a' | 3: g h"),
    Case("8", "0: a b | 1: c d", "0: | 1: b' d"),
    Case("9", "0: a b | 1: c d | 2: e f", "4: i j | 0: a b c | 3: g h | 1^x: d | 2: f'"),
    Case("10", "0: a b | 1: c d", "1: d' c | 0: b a'"),
    Case(
      "11",
      "1: A B C D | 2: E F G H I | 3: J K L M | 4: N O P Q",
      "1: A B C D | 2: G | 5: E F H I | 3: J K L M | 4: N O P Q"
    ),
    Case("emptied while it moves", "1: a | 2: b", "2: c' | 1:"),
    Case("across, moved and updated", "4: a b c | 9: d e f", "9: b' e f' | 4: a' c"),
    Case(
      "a row joins its neighbour section",
      "4: a | 6: b c | 9: | 2: d e | 8: f | 10: g h i | 1: j k l m n o p q r",
      "4: a | 6: b' c | 9: s' | 7: t u v' | 2: d e' f' | 8: | 10: g' h' i' | 1: j' k' l' m' n' o' p' q' r'"
    ),
  ]

  /// After IGListKit's clean-ups: what a batch must not contain, although it happened.
  static let cleanUps = [
    Case(
      "what is clean stays as it is",
      "A: a | B: b c | C: d e | D: f | E: g | F: h i",
      "M: m | N: n | A: x a | B: c | C: e d | E: g | D: f",
      "-S5 +S0 +S1 S3>6 -[1,0] +[2,0] [2,0]>[4,1]"
    ),
    Case(
      "updates in a section that moves",
      "A: a | B: b | C: c d | D: e",
      "A: a' | B: b | D: e | C: c' d'",
      "S2>3 ~[0,0] ~[3,0] ~[3,1]"
    ),
    Case("an update and a move in a deleted section", "A: a b | B: c", "B: c", "-S0"),
    Case(
      "deletes in a section that moves and in another",
      "A: a | B: b | C: c d | D: e f",
      "A: a | B: b | D: e | C: d"
    ),
    Case(
      "inserts in a section that moves and in another",
      "A: a | B: b | C: c | D: d",
      "A: a | B: b | D: d y | C: x c"
    ),
    Case("a move within a section that moves", "A: a b | B: c", "B: c | A: b a", "S1>0 [0,0]>[1,1]"),
    Case("rows of a section that moves and changes", "A: a b c | B: d e f | C: g", "C: g x | B: f d | A: c a"),
    Case("a row from a section that moves to one that stays", "A: a b | B: c | C: d", "B: c a | C: d | A: b"),
    Case("a row from a deleted section to one that moves", "A: a b | B: c | C: d e", "C: d a | B: c x"),
    Case("a row from a section that moves to an inserted one", "A: a b | B: c d", "B: c | N: d b | A: a"),
    Case("both", "A: a b | B: c d | C: e f", "C: e | N: f | B: c a d x"),
    Case("a section is exchanged for one with its rows", "A: a b | B: c", "N: a b | B: c", "-S0 +S0"),
    Case("a section moves over a deleted one", "A: a | B: b | C: c", "C: c | A: a", "-S1 S0>1"),
    Case("a reload in a displaced section", "A: a | B: b", "B: b!", "-S0 ![0,0]"),
    Case("a section moves and loses all its rows to another", "A: a b | B: c | C: d", "C: d a b | A: x | B: c"),
  ]

  @Test("Each case is legal, minimal and exact", arguments: simple + sections + complicated + cleanUps)
  func verifies(_ example: Case) throws {
    let changeset = try verify(from: table(example.old), to: table(example.new))
    if let expected = example.expected { #expect(text(changeset) == expected) }
    try verify(from: table(example.new), to: table(example.old))
  }
}
