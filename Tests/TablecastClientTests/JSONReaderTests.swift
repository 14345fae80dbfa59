import Testing

@testable import TablecastClient

@Suite struct JSONReaderTests {
  /// A value that knows how it is written and what a reader should find.
  private indirect enum Value: Equatable {
    case null, boolean(Bool), integer(Int), text(String)
    case list([Value])
    case object([(String, Value)])

    static func == (one: Value, other: Value) -> Bool { one.json == other.json }

    var json: String { json { "" } }

    /// - Parameter space: what stands between any two parts.
    func json(_ space: () -> String) -> String {
      switch self {
      case .null: return "null"
      case .boolean(let value): return "\(value)"
      case .integer(let value): return "\(value)"
      case .text(let text): return quoted(text)
      case .list(let elements):
        return "[" + space() + elements.map { $0.json(space) + space() }.joined(separator: "," + space()) + "]"
      case .object(let members):
        let parts = members.map { quoted($0) + space() + ":" + space() + $1.json(space) + space() }
        return "{" + space() + parts.joined(separator: "," + space()) + "}"
      }
    }

    private func quoted(_ text: String) -> String { JSONOutput.write { $0.string(text) }.text }
  }

  private func random(_ depth: Int, _ random: inout SplitMix64) -> Value {
    let texts = ["", "a", "\"", "\\", "}]", "{\"[", ",:", "\n\u{1}", "ü😀", "null", "id"]
    switch Int.random(in: depth > 0 ? 0...5 : 0...3, using: &random) {
    case 0: return .null
    case 1: return .boolean(.random(using: &random))
    case 2: return .integer(.random(in: Int.min...Int.max, using: &random))
    case 3: return .text(texts.randomElement(using: &random) ?? "")
    case 4: return .list((0..<Int.random(in: 0...4, using: &random)).map { _ in self.random(depth - 1, &random) })
    default:
      return .object(
        (0..<Int.random(in: 0...4, using: &random)).map { number in
          ("\(texts.randomElement(using: &random) ?? "")\(number)", self.random(depth - 1, &random))
        }
      )
    }
  }

  /// Reads what comes; of the parts of lists and objects only those that `isRead` wants.
  private func read(_ reader: inout JSONReader, like value: Value, _ isRead: () -> Bool) -> Value? {
    switch value {
    case .null:
      let isNull = reader.isNull
      reader.skip()
      return isNull ? .null : nil
    case .boolean: return reader.boolean().map { .boolean($0) }
    case .integer: return reader.integer().map { .integer($0) }
    case .text: return reader.string().map { .text($0) }
    case .list(let elements):
      guard reader.enterList() else { return nil }
      for element in elements {
        guard reader.nextElement() else { return nil }
        if isRead(), read(&reader, like: element, isRead) != element { return nil }
      }
      return reader.nextElement() ? nil : value
    case .object(let members):
      guard reader.enterObject() else { return nil }
      for (name, member) in members {
        guard let found = reader.nextName(), found == name, found.text == name else { return nil }
        if isRead(), read(&reader, like: member, isRead) != member { return nil }
      }
      return reader.nextName() == nil ? value : nil
    }
  }

  /// Whatever is read of a text and whatever is passed: the rest is found where it stands.
  @Test func whatIsNotReadIsPassed() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix64(seed: seed)
    for round in 0..<3000 {
      let value = random(4, &generator)
      let text = value.json { [" ", "\n\t", "", "", "", ""].randomElement(using: &generator) ?? "" }
      let share = Double.random(in: 0...1, using: &generator)
      let json = try JSONText(text)
      let isSame = json.read { reader in
        read(&reader, like: value) { Double.random(in: 0..<1, using: &generator) < share } == value
          && reader.position == json.bytes.count
      }
      #expect(isSame, "seed \(seed), round \(round): \(text)")
    }
  }

  @Test func anotherKindThanWasAskedForIsPassed() throws {
    let kinds = ["null", "true", "-7", "1.5", "\"x\\\"\"", "[1,[2]]", "{\"a\":{\"b\":\"}\"}}"]
    let asks: [(inout JSONReader) -> Bool] = [
      { $0.string() != nil }, { $0.integer() != nil }, { $0.boolean() != nil }, { $0.list { $0.skip() } != nil },
    ]
    for kind in kinds {
      for ask in asks {
        let rest = try JSONText("[\(kind), \"rest\"]").read { reader in
          guard reader.enterList(), reader.nextElement() else { return nil as String? }
          _ = ask(&reader)
          return reader.nextElement() ? reader.string() : nil
        }
        #expect(rest == "rest", "\(kind)")
      }
    }
  }

  @Test(arguments: [
    ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("9223372036854775808", nil),
    ("-9223372036854775809", nil), ("99999999999999999999", nil), ("-0", 0), ("1.0", nil), ("1e3", nil), ("\"1\"", nil),
    ("null", nil),
  ])
  func integers(_ text: String, _ value: Int?) throws { #expect(try JSONText(text).integer == value) }

  @Test func aNameIsOneHoweverItIsWritten() throws {
    let found = try JSONText(#"{"\u0069d":1,"i\"d":2,"idx":3,"i":4,"id":5}"#).read { reader in
      var found: [Int] = []
      guard reader.enterObject() else { return found }
      while let name = reader.nextName() {
        switch name {
        case "id": found.append(reader.integer() ?? 0)
        default: continue
        }
      }
      return found
    }
    #expect(found == [1, 5])
  }

  @Test func aValueThatCannotBeReadMidwayIsPassed() throws {
    let read = try JSONText(#"[{"a":[1,2]},"rest"]"#).read { reader in
      guard reader.enterList(), reader.nextElement() else { return nil as String? }
      let result: Result<Void, any Error> = reader.attempt { reader in
        _ = reader.enterObject()
        _ = reader.nextName()
        _ = reader.enterList()
        throw MalformedReply("midway")
      }
      #expect(throws: MalformedReply.self) { try result.get() }
      return reader.nextElement() ? reader.string() : nil
    }
    #expect(read == "rest")
  }
}
