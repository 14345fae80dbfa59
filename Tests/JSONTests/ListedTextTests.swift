import TestSupport
import Testing

@testable import JSON

/// Where the elements of a list stand, found by itself and by comparing with the text before.
@Suite struct ListedTextTests {
  private static func texts(_ list: ListedText) -> [String] {
    list.elements.indices.map { list.withBytes(of: $0) { String(decoding: $0, as: UTF8.self) } }
  }

  private static func text(_ elements: [String], _ frame: (head: String, tail: String)) -> [UInt8] {
    Array("\(frame.head)[ \(elements.joined(separator: " ,\n"))]\(frame.tail)".utf8)
  }

  private static func element(_ random: inout SeededGenerator) -> String {
    let number = Int.random(in: 0..<40, using: &random)
    return [
      "\(number)", "\"]},[{\\\"\(number)\"", "{\"n\":\(number),\"s\":\"größer\"}", "[\(number),[]]", "null",
    ].randomElement(using: &random) ?? ""
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func comparedWithTheTextBefore(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var elements = (0..<Int.random(in: 0...400, using: &random)).map { _ in Self.element(&random) }
    var frame = (head: #"{"a":[1],"list":"#, tail: #","z":{"list":[2]}}"#)
    let path: JSONPath = [.name("list")]
    var last = try ListedText(Self.text(elements, frame), at: path)
    for step in 0..<30 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0...elements.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where place < elements.count: elements.remove(at: place)
        case 1 where place < elements.count: elements[place] = Self.element(&random)
        case 2 where step % 10 == 9: elements.shuffle(using: &random)
        default: elements.insert(Self.element(&random), at: place)
        }
      }
      if step % 7 == 6 { frame.tail = ",\"z\":\(step)}" }
      let bytes = Self.text(elements, frame)
      let compared = try ListedText(bytes, at: path, after: last)
      #expect(Self.texts(compared) == elements, "seed \(seed), step \(step)")
      #expect(compared.frame == Self.text([], frame).filter { $0 != 0x20 }, "seed \(seed), step \(step)")
      // Where much is new, or something else stands around the list, it is read as a whole.
      let isLike = step % 7 != 6
      #expect(compared.follows(last) == isLike || step % 10 == 9, "seed \(seed), step \(step)")
      if compared.follows(last) {
        let before = Self.texts(last)
        let wrong = compared.elements.indices.first { place in
          compared.origin(of: place).map { before[$0] != elements[place] } ?? false
        }
        #expect(wrong == nil, "seed \(seed), step \(step)")
      }
      last = compared
    }
  }

  /// What reading as a whole refuses, comparing must not let through.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func damageIsToldAlike(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let elements = (0..<30).map { #"{"id":\#($0),"t":"[\#($0)] , }\" ","g":[1,{"a":"]"}]}"# }
    let good = Self.text(elements, ("", ""))
    let before = try ListedText(good)
    for _ in 0..<100 {
      var bad = good
      let position = Int.random(in: 0..<bad.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bad[position] = "[]{},:\"\\ 1\u{1}".utf8.randomElement(using: &random) ?? 0x20
      case 1: bad.insert("[]{},\"".utf8.randomElement(using: &random) ?? 0x20, at: position)
      default: bad.removeSubrange(position..<min(bad.count, position + Int.random(in: 1...80, using: &random)))
      }
      let (whole, compared) = (Result { try ListedText(bad) }, Result { try ListedText(bad, after: before) })
      let message: Comment = "seed \(seed): \(String(decoding: bad, as: UTF8.self))"
      switch (whole, compared) {
      case (.success(let one), .success(let other)): #expect(Self.texts(one) == Self.texts(other), message)
      case (.failure(let one as JSONError), .failure(let other as JSONError)): #expect(one == other, message)
      default: Issue.record("read as a whole: \(whole), compared: \(compared), \(message)")
      }
    }
  }

  /// With room behind it, as what grew while it came in has: then a long text is read in parts.
  private static func grown(_ bytes: [UInt8]) -> [UInt8] {
    var grown: [UInt8] = []
    grown.reserveCapacity(bytes.count + 4096)
    grown += bytes
    return grown
  }

  /// Some 3 MB of elements that are much like what stands between elements.
  private static func longList(_ random: inout SeededGenerator) -> [String] {
    let filler = ["},{\\\"a\\\":[", "größer \\\\", "x, ", "\\\"},{ ", "]},[{"]
    var (elements, count): ([String], Int) = ([], 0)
    while count < 3 << 20 {
      let words = (0..<Int.random(in: 1...400, using: &random)).map { _ in filler.randomElement(using: &random) ?? "" }
      let parts = (0..<Int.random(in: 0...4, using: &random)).map { #"{"id":\#($0)}"# }.joined(separator: ", ")
      elements.append(#"{"id":\#(elements.count),"s":"\#(words.joined()).","parts":[\#(parts)],"e":[[],{}]}"#)
      count += elements[elements.count - 1].utf8.count
    }
    return elements
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func longTextsInParts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let elements = Self.longList(&random)
    let frame = seed % 2 == 0 ? ("", "") : (head: #"{"a":[1],"b":{"list":"#, tail: #"},"z":[{},{}]}"#)
    let path: JSONPath = seed % 2 == 0 ? [] : [.name("b"), .name("list")]
    let bytes = Self.grown(Self.text(elements, frame))
    #expect(ListParts.list(in: bytes, at: path, keeping: .max, JSONLimits()) != nil, "seed \(seed)")
    let list = try ListedText(bytes, at: path)
    #expect(Self.texts(list) == elements, "seed \(seed)")
    #expect(list.frame == Self.text([], frame).filter { $0 != 0x20 }, "seed \(seed)")
    let limit = Int.random(in: 1...elements.count, using: &random)
    let cut = try ListedText(bytes, at: path, keeping: limit)
    #expect(cut.count == elements.count && Self.texts(cut) == Array(elements[..<limit]), "seed \(seed)")
  }

  /// Two spellings of “é” are two names, which `String` holds equal.
  @Test func namesAreTheirBytes() throws {
    let text = Array(#"{"donne\#u{301}es": 1, "donn\#u{E9}es": [2, 3]}"#.utf8)
    let list = try ListedText(text, at: [.name("donn\u{E9}es")])
    #expect(Self.texts(list) == ["2", "3"])
  }

  /// Where the list ends before the text does, another one's elements are not taken for its own.
  @Test(arguments: [0, 1, 2]) func oneOfSeveralLongLists(wanted: Int) throws {
    var random = SeededGenerator(seed: 7)
    let elements = Self.longList(&random)
    let all = elements.joined(separator: ",")
    let bytes = Self.grown(
      Array(#"{"0":[\#(all)],"1":{"0":[\#(all)]},"2":[\#(elements[0]),[\#(all)],1],"3":[\#(all)]}"#.utf8)
    )
    let path: JSONPath = wanted == 1 ? [.name("1"), .name("0")] : [.name("\(wanted)")]
    let list = try ListedText(bytes, at: path)
    #expect(list.count == (wanted == 2 ? 3 : elements.count))
    if wanted < 2 { #expect(Self.texts(list) == elements) }
  }

  /// Of a list of very many elements no more are noted than are kept, and in parts none: it is read as a whole.
  @Test func longListsOfLittle() throws {
    let bytes = Self.grown(Array(("[" + String(repeating: #"{"a":1},"#, count: 400_000) + "{}]").utf8))
    #expect(ListParts.list(in: bytes, at: [], keeping: 400_001, JSONLimits())?.count == 400_001)
    #expect(ListParts.list(in: bytes, at: [], keeping: 400_000, JSONLimits()) == nil)
    let list = try ListedText(bytes, keeping: 1000)
    #expect(list.count == 400_001 && list.elements.count == 1000)
  }

  /// What reading as a whole refuses, or takes, so does reading in parts: near the places to cut at, too.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func damageToLongTexts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let good = Self.text(Self.longList(&random), ("", ""))
    for _ in 0..<12 {
      var bad = good
      let cut = [1 << 20, 2 << 20].randomElement(using: &random) ?? 0
      let near = cut + Int.random(in: -3000...40_000, using: &random)
      let position = min(
        Bool.random(using: &random) ? near : Int.random(in: 0..<bad.count, using: &random),
        bad.count - 1
      )
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bad[position] = "[]{},:\"\\ 1\u{1}".utf8.randomElement(using: &random) ?? 0x20
      case 1: bad.insert("[]{},\"".utf8.randomElement(using: &random) ?? 0x20, at: position)
      case 2: bad.insert(contentsOf: "},{".utf8, at: position)
      default: bad.removeSubrange(position..<min(bad.count, position + Int.random(in: 1...3000, using: &random)))
      }
      let whole = Result { try Document(bad).list(at: [], keeping: .max) }
      let parted = Result { try ListedText(Self.grown(bad)) }
      switch (whole, parted) {
      case (.success(let one), .success(let other)):
        #expect(one.elements.map(\.range) == other.elements.map(\.range), "seed \(seed), \(position)")
      case (.failure(let one as JSONError), .failure(let other as JSONError)):
        #expect(one == other, "seed \(seed), \(position)")
      default: Issue.record("seed \(seed), \(position): read as a whole: \(whole), in parts: \(parted)")
      }
    }
  }

  /// In order, in batches that grow, here and there, and again.
  @Test(arguments: [1, 3, 64], [false, true])
  func readInAnyOrder(stride step: Int, isBig: Bool) throws {
    let filler = String(repeating: "ä\\n", count: isBig ? 3000 : 3)
    let text = "[" + (0..<200).map { #"{"n":\#($0),"a":[{}],"s":"\#(filler)"}"# }.joined(separator: ",") + "]"
    let list = try ListedText(Array(text.utf8))
    let reader = ListReader(list)
    for place in Array(stride(from: 0, to: 200, by: step)) + [7, 7, 199, 0, 198, 199] {
      #expect(try reader.withElement(place) { $0["n"]?.int64 } == Int64(place))
    }
  }

  /// One element that is no JSON costs no other one.
  @Test func malformedElements() throws {
    let list = try ListedText(Array(#"[{"n":0},{"n":tru},{"n" 2},{"n":1e999},{"n":4}]"#.utf8))
    let reader = ListReader(list)
    #expect(list.elements.count == 5)
    for place in [1, 2] { #expect(throws: JSONError.self) { try reader.withElement(place) { _ in } } }
    #expect(try reader.withElement(3) { $0["n"]?.isNull } == true)
    for place in [0, 4] { #expect(try reader.withElement(place) { $0["n"]?.int64 } == Int64(place)) }
  }

  @Test func wherePathsLead() throws {
    let bytes = Array(#"{"a":[{"b":[1]},{"b":[2,3]}],"c":{"d":[]},"e":7}"#.utf8)
    #expect(Self.texts(try ListedText(bytes, at: [.name("a"), .index(-1), .name("b")])) == ["2", "3"])
    #expect(Self.texts(try ListedText(bytes, at: [.name("a"), .index(0), .name("b")])) == ["1"])
    #expect(try ListedText(bytes, at: [.name("c"), .name("d")]).elements.isEmpty)
    for path: JSONPath in [[], [.name("e")], [.name("x")], [.name("a"), .index(2)]] {
      #expect(throws: JSONError.self) { try ListedText(bytes, at: path) }
    }
  }
}
