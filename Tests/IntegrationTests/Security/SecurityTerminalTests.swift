import Foundation
import JSON
import TestSupport
import Testing

/// Terminals obey what they are shown: nothing that an upstream says gets there as it is.
@Suite struct SecurityTerminalTests {
  private static let hostile = "loud \u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{2028}\r\n end"

  private static func configuration(_ upstream: ScriptedUpstream) -> String {
    """
    store: memory
    problems: full
    sources: {list: {url: "\(upstream.url)/list", every: 0s, retries: 0}}
    cells:
      Header: {fields: {title: string}}
      Label: {fields: {title: string}}
    tables:
      list:
        source: list
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${title}"}
        sections:
          groupBy: group
          header: {cell: Header, payload: {title: "${$key}"}}
    """
  }

  private static func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar == "\n"
      case .lineSeparator, .paragraphSeparator: false
      case .format: (0x200c...0x200d).contains(scalar.value)
      default: true
      }
    }
  }

  private static func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream([["id": 1, "title": .string(hostile), "group": .string(hostile)]])
  }

  @Test func renderSendsNoControlCharacters() throws {
    let folder = try TemporaryFolder()
    let upstream = try Self.upstream()
    try folder.write(Self.configuration(upstream))
    let drawn = try Command(["render", "--config", "tablecast.yaml", "--table", "list"], in: folder)
    #expect(drawn.status == 0 && drawn.output.contains("loud"), "\(drawn.errors)")
    #expect(Self.isHarmless(drawn.output), "\(drawn.output.debugDescription)")
    // What an upstream says for itself where it fails, too.
    let failing = try ScriptedUpstream { _ in .status(500, "{\"message\":\"loud \\u001b[31m\\u0007\\u009b\"}") }
    try folder.write(Self.configuration(failing))
    let failed = try Command(["render", "--config", "tablecast.yaml", "--table", "list"], in: folder)
    #expect((failed.output + failed.errors).contains("loud"))
    #expect(Self.isHarmless(failed.output + failed.errors), "\((failed.output + failed.errors).debugDescription)")
  }

  @Test func watchSendsNoControlCharacters() throws {
    let upstream = try Self.upstream()
    let service = try ServiceProcess(Self.configuration(upstream))
    try service.follow("list", until: "is ready") { $0.state == "ready" }
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = ["watch", "http://127.0.0.1:\(service.port)", "list"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    let output = Unchecked(pipe.fileHandleForReading)
    let text = try Background("the table in the terminal") {
      var text = ""
      while !text.contains("end") {
        let data = output.value.availableData
        guard !data.isEmpty else { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }.value()
    #expect(text.contains("loud"), "\(text.debugDescription)")
    #expect(Self.isHarmless(text), "\(text.debugDescription)")
  }
}
