import Foundation
import Logging
import Testing

@testable import LineLog

/// What comes from outside is shown in the log and obeyed nowhere.
@Suite struct LogLineTests {
  private static func line(_ message: String, _ fields: [String: String] = [:]) -> (text: String, json: String) {
    let fields = fields.mapValues { Logger.MetadataValue.string($0) }
    return line(message, fields)
  }

  private static func line(_ message: String, _ fields: Logger.Metadata) -> (text: String, json: String) {
    let line = LogLine(time: "2026-01-02T03:04:05Z", level: "info", message: message, fields: fields)
    return (String(decoding: line.text, as: UTF8.self), String(decoding: line.json, as: UTF8.self))
  }

  @Test(arguments: [
    ("plain", "plain"), ("Grüße 👩‍👩‍👧 “x” \\ \"y\"", "Grüße 👩‍👩‍👧 “x” \\ \"y\""),
    ("a\nERROR forged", "a\\nERROR forged"), ("a\r\tb", "a\\r\\tb"), ("\u{1b}[2J\u{7}", "\\u{1b}[2J\\u{7}"),
    ("\u{9b}31m", "\\u{9b}31m"), ("\u{7f}\u{0}", "\\u{7f}\\u{0}"), ("a\u{202e}b", "a\\u{202e}b"),
    ("\u{2028}x\u{2029}", "\\u{2028}x\\u{2029}"), ("\u{2066}", "\\u{2066}"), ("\u{85}", "\\u{85}"),
  ])
  func text(message: String, written: String) {
    #expect(Self.line(message).text == "2026-01-02T03:04:05Z INFO     \(written)")
    #expect(Self.line("m", ["key": message]).text == "2026-01-02T03:04:05Z INFO     m  key: \(written)")
    #expect(Self.line("m", [message: "v"]).text == "2026-01-02T03:04:05Z INFO     m  \(written): v")
  }

  /// What was given as a number is one.
  @Test func numbersAreNumbers() throws {
    let line = Self.line("m", ["status": .stringConvertible(422), "row": "7", "level": .stringConvertible(9)])
    let time = "2026-01-02T03:04:05Z"
    #expect(line.json == #"{"level":"info","message":"m","row":"7","status":422,"time":"\#(time)"}"#)
    #expect(line.text.hasSuffix("row: 7  status: 422"))
  }

  /// Programs read what was there, of which no byte is a control character in the line.
  @Test func jsonSaysTheVeryText() throws {
    let all = String(
      String.UnicodeScalarView((0...0x2100).compactMap { Unicode.Scalar($0) }.filter { $0.value % 3 > 0 })
    )
    for message in ["\u{1b}[2J\n\"\\/", "\u{9b}\u{7f}\u{202e}\u{2028}", String(all.unicodeScalars.prefix(600))] {
      let json = Self.line(message, ["key": message, "message": "not this one"]).json
      let isPrintable = json.unicodeScalars.allSatisfy(\.isPrintable)
      #expect(isPrintable)
      let read = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
      #expect(read == ["key": message, "level": "info", "message": message, "time": "2026-01-02T03:04:05Z"])
    }
    #expect(Self.line("m", ["b": "1", "a": "2"]).json.hasPrefix("{\"a\":\"2\",\"b\":\"1\",\"level\""))
  }

  @Test(arguments: ["x", "é", "\u{1b}", "\"", "👩‍👩‍👧"])
  func aLineHasAnEnd(unit: String) throws {
    let long = String(repeating: unit, count: 100_000)
    let fields = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key\($0)", long) })
    for line in [Self.line(long, fields).text, Self.line(long, fields).json] {
      #expect(line.utf8.count < (LogLine.fieldLimit + 2) * (LogLine.valueLimit + 200))
      #expect(line.contains("bytes more)"))
    }
    let read = try JSONDecoder().decode([String: String].self, from: Data(Self.line(long).json.utf8))
    let message = try #require(read["message"])
    let kept = message.unicodeScalars.prefix { $0 != "…" }
    let isBeginning = long.unicodeScalars.starts(with: kept)
    #expect(isBeginning)
    let more = long.utf8.count - String(kept).utf8.count
    #expect(message.hasSuffix("… (\(more) bytes more)"))
  }
}
