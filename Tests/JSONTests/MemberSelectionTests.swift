import TestSupport
import Testing

@testable import JSON

/// Objects of which some members are read, beside the same objects parsed as a whole.
@Suite struct MemberSelectionTests {
  private static let names = [
    "a", "b", "id", "login", "größe", "a rather long name of a member, longer than a block", "",
  ]
  private static let escapes = [
    #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\b\f\r\t"#, #"\u00e9"#, #"\u0000"#, #"\u20AC"#, #"\ud83d\ude00"#, "ü", "x",
    "0123456789", "]},{", "            ", "€uro and more text that goes on over the end of a block ",
  ]
  private static let rare = [#"\ud83d"#, #"\ude00x"#, #"\ud83d\u0041"#, #"\x"#, #"\u12g4"#, #"\u12"#]
  private static let numbers = [
    "0", "7", "-3", "12345678", "123456789012345678", "0.5", "-2.25", "1.10", "31.4159265358979",
  ]
  /// Some of them are taken where they are not read.
  private static let rareNumbers = [
    "1e3", "-1E-2", "2.5e+10", "-0", "-0.0", "1234567890123456789", "18446744073709551615", "1e300", "1e400",
    "0.1234567890123456789", "01", "1.", ".5", "-", "+1", "1e", "1e+", "0x1", "1234567890123456789012345", "nul",
    "True", "tru", "falsey", "\u{1}",
  ]

  /// JSON as it may come, and now and then what is rare or none.
  private struct Writer {
    var random: SeededGenerator
    let hasRarities: Bool

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    mutating func pick(_ from: [String]) -> String { from.randomElement(using: &random) ?? "" }
    mutating func space() -> String { chance(6) ? pick([" ", "\n\t", "\r\n      ", "  "]) : "" }

    mutating func string() -> String {
      let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        hasRarities && chance(60) ? pick(rare) : pick(escapes)
      }
      return "\"\(parts.joined())\""
    }

    mutating func value(depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
      case 0, 1: return string()
      case 2: return hasRarities && chance(40) ? pick(rareNumbers) : pick(numbers)
      case 3: return pick(["true", "false", "null"])
      case 4:
        let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
          space() + value(depth: depth + 1) + space()
        }
        return "[\(elements.joined(separator: ","))\(space())]"
      default: return object(depth: depth)
      }
    }

    mutating func object(depth: Int) -> String {
      let members = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        let name = hasRarities && chance(100) ? #"\u0061"# : pick(names)
        return "\(space())\"\(name)\"\(space()):\(space())\(value(depth: depth + 1))\(space())"
      }
      return "{\(members.joined(separator: ","))\(space())}"
    }
  }

  private static func paths(_ random: inout SeededGenerator) -> [[String]] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).map { _ in names.randomElement(using: &random) ?? "" }
    }
  }

  private static func selection(_ paths: [[String]]) -> MemberSelection {
    paths.reduce(into: MemberSelection()) { $0.formUnion(MemberSelection(path: $1)) }
  }

  /// What a member's value is, to the last bit of its numbers.
  private static func read(_ view: JSONView, _ path: [String]) -> String? {
    var view = view
    for name in path {
      guard let next = view[name] else { return nil }
      view = next
    }
    var writer = JSONWriter()
    writer.write(view)
    return "\(view.kind) \(view.count) \(String(decoding: writer.bytes, as: UTF8.self)) \(JSONValue(view))"
  }

  /// A text in memory of its own, behind which stands what could be taken for more of it.
  private struct Padded: ~Copyable {
    private let text: PaddedText
    private let count: Int

    init(_ bytes: [UInt8]) {
      let more = Array(#"}"]\\,0{"#.utf8)
      let padding = (0..<MemberParser.padding).map { more[$0 % more.count] }
      text = PaddedText(bytes + padding)
      count = bytes.count
    }

    /// Valid as long as this value.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text.bytes[..<count]) }
  }

  @Test(arguments: 1...16 as ClosedRange<UInt64>, [false, true])
  func readsWhatIsRead(seed: UInt64, isPortable: Bool) throws {
    var writer = Writer(random: SeededGenerator(seed: seed), hasRarities: seed % 2 == 0)
    let paths = Self.paths(&writer.random)
    let parser = try #require(MemberParser(Self.selection(paths), limits: JSONLimits(), isPortable: isPortable))
    var taken = 0
    for step in 0..<60 {
      let text = writer.object(depth: 0)
      let message: Comment = "seed \(seed), step \(step): \(paths) of \(text)"
      let padded = Padded(Array(text.utf8))
      guard let selected = parser.parse(padded.bytes) else {
        #expect(writer.hasRarities, message)
        continue
      }
      taken += 1
      // What is taken is JSON as it stands: nothing in it had to be repaired.
      let whole = try Document(Array(text.utf8), limits: JSONLimits(allowsRepair: false))
      try whole.withRoot { root in
        for path in paths { #expect(Self.read(selected, path) == Self.read(root, path), message) }
      }
    }
    #expect(taken >= 20, "seed \(seed)")
  }

  /// What is no JSON is never taken, whatever is read of it.
  @Test(arguments: 1...16 as ClosedRange<UInt64>, [false, true])
  func damageIsDeclined(seed: UInt64, isPortable: Bool) throws {
    var writer = Writer(random: SeededGenerator(seed: seed), hasRarities: false)
    let paths = Self.paths(&writer.random)
    let parser = try #require(MemberParser(Self.selection(paths), limits: JSONLimits(), isPortable: isPortable))
    var refused = 0
    for _ in 0..<100 {
      var bytes = Array(writer.object(depth: 0).utf8)
      let position = Int.random(in: 0..<bytes.count, using: &writer.random)
      switch Int.random(in: 0..<3, using: &writer.random) {
      case 0: bytes[position] = "[]{},:\"\\ 1e-.ntu\u{7F}".utf8.randomElement(using: &writer.random) ?? 0x20
      case 1: bytes.insert("[]{},:\"\\ 1e-.".utf8.randomElement(using: &writer.random) ?? 0x20, at: position)
      default:
        bytes.removeSubrange(position..<min(bytes.count, position + Int.random(in: 1...9, using: &writer.random)))
      }
      let padded = Padded(bytes)
      let message: Comment = "seed \(seed): \(paths) of \(String(decoding: bytes, as: UTF8.self))"
      guard let whole = try? Document(bytes, limits: JSONLimits(allowsRepair: false)),
        (try? whole.withRoot { _ in }) != nil
      else {
        // That it is UTF-8 without control characters in its strings is known before.
        if (try? Document(bytes)) != nil { #expect(parser.parse(padded.bytes) == nil, message) }
        refused += 1
        continue
      }
      guard let selected = parser.parse(padded.bytes) else { continue }
      try whole.withRoot { root in
        for path in paths { #expect(Self.read(selected, path) == Self.read(root, path), message) }
      }
    }
    #expect(refused > 30, "seed \(seed)")
  }

  @Test(arguments: [false, true]) func depthIsLimited(isPortable: Bool) throws {
    let limits = JSONLimits(maximumDepth: 10)
    let parser = try #require(MemberParser(MemberSelection(), limits: limits, isPortable: isPortable))
    for depth in [1, 9, 10, 11, 12, 100] {
      let text = String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
      let padded = Padded(Array(text.utf8))
      #expect((parser.parse(padded.bytes) != nil) == (depth <= 10), "\(depth)")
    }
  }

  /// Names come, go, and change their places from object to object.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func namesInAnyOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let parser = try #require(
      MemberParser(Self.selection([["n3"], ["n7", "n1"], ["n7", "n2"], ["n20"]]), limits: JSONLimits())
    )
    for _ in 0..<200 {
      var names = (0..<24).map { "n\($0)" }
      if Int.random(in: 0..<8, using: &random) == 0 { names.shuffle(using: &random) }
      names.removeAll { _ in Int.random(in: 0..<12, using: &random) == 0 }
      let members = names.map { name in
        name == "n7" ? #""n7":{"n1":"1","n3":3,"n2":[2]}"# : "\"\(name)\":\(Int.random(in: 0...999, using: &random))"
      }
      let text = "{\(members.joined(separator: ","))}"
      let padded = Padded(Array(text.utf8))
      let selected = try #require(parser.parse(padded.bytes), "seed \(seed)")
      try Document(Array(text.utf8)).withRoot { root in
        for path in [["n3"], ["n7", "n1"], ["n7", "n2"], ["n20"]] {
          #expect(Self.read(selected, path) == Self.read(root, path), "seed \(seed): \(text)")
        }
      }
    }
  }

  /// An element that is declined is parsed as a whole, and one that is broken tells so as without a selection.
  @Test func declinedElements() throws {
    let text = #"[{"n":0,"x":1e400},{"n":1,"x":tru},{"n":18446744073709551615,"x":{}},7,{"n":4,"x":"\ud800"},{"n":5}]"#
    let list = try ListedText(Array((text + String(repeating: " ", count: 100)).utf8))
    let (whole, selecting) = (ListReader(list), ListReader(list, selecting: MemberSelection(path: ["n"])))
    for place in list.elements.indices {
      let one = Result { try whole.withElement(place) { $0["n"].map { JSONValue($0) } } }
      let other = Result { try selecting.withElement(place) { $0["n"].map { JSONValue($0) } } }
      switch (one, other) {
      case (.success(let one), .success(let other)): #expect(one == other, "\(place)")
      case (.failure(let one as JSONError), .failure(let other as JSONError)): #expect(one == other, "\(place)")
      default: Issue.record("\(place): as a whole \(one), selecting \(other)")
      }
    }
  }

  @Test func unions() {
    var selection = MemberSelection(path: ["user", "login"])
    selection.formUnion(MemberSelection(path: ["user", "id"]))
    selection.formUnion(MemberSelection(path: ["title"]))
    #expect(selection.members["user"]?.members.keys.map(\.text).sorted() == ["id", "login"])
    selection.formUnion(MemberSelection(path: ["user"]))
    #expect(selection.members["user"] == .whole && !selection.isWhole)
    selection.formUnion(MemberSelection(path: ["user", "login"]))
    #expect(selection.members["user"] == .whole)
    selection.formUnion(.whole)
    #expect(selection == .whole)
  }

  /// Swift holds them equal; JSON does not, and nor do those who read them.
  @Test func namesThatLookAlikeAreTwo() throws {
    let names = ["\u{e9}", "e\u{301}"]
    let element = "{\"\(names[0])\":{\"\(names[1])\":1},\"\(names[1])\":2}"
    let list = try ListedText(Array("[\(element)]\(String(repeating: " ", count: 200))".utf8))
    let selection = MemberSelection(path: [names[0], names[1]]).union(MemberSelection(path: [names[1]]))
    let reader = ListReader(list, selecting: selection)
    try reader.withElement(0) { root in
      #expect(root[names[1]].map { JSONValue($0) } == .integer(2))
      #expect(root[names[0]]?[names[1]].map { JSONValue($0) } == .integer(1))
    }
  }

  /// Names of one length that differ in one place: some are compared as words.
  @Test(arguments: 0...20) func namesAreTold(apart length: Int) {
    let name = (0..<length).map { UInt8(ascii: "a") + UInt8($0) }
    func isEqual(_ other: [UInt8]) -> Bool {
      name.withUnsafeBufferPointer { name in
        other.withUnsafeBufferPointer { other in
          guard let start = name.baseAddress else { return other.isEmpty }
          return JSONString(unmanaged: start, count: name.count) == other
        }
      }
    }
    #expect(isEqual(name) && !isEqual(name + [0]))
    for place in name.indices {
      var other = name
      other[place] ^= 1
      #expect(!isEqual(other), "\(place)")
    }
  }
}
