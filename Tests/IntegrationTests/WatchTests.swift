import Foundation
import JSON
import TestSupport
import Testing

/// `watch` as a process: its output, and the terminal that it runs in.
@Suite struct WatchTests {
  private static func table(rows: Int) -> String {
    let items = (1...rows).map { "{n: \"\($0)\", title: Title \($0)}" }.joined(separator: ", ")
    return """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        t: {source: {local: {items: [\(items)]}}, row: {id: "${n}"}, cell: Label, payload: {title: "${title}"}}
      """
  }

  /// A process that watches the table `t`; not yet run.
  private static func watch(_ service: ServiceProcess, _ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = try ServiceProcess.executable()
    process.arguments = ["watch", "http://127.0.0.1:\(service.port)", "t"] + arguments
    (process.standardInput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    return process
  }

  /// In the name of a member as the service has it values are encoded; a parameter's value is as it is given.
  @Test(arguments: [
    (["t;q=a%20b"], "a b"), (["t;q=a b"], "a b"), (["t", "--param", "q=a%20b"], "a%20b"), (["t;q=a%"], "a%"),
  ])
  func aMemberIsNamedAsTheServiceNamesIt(_ arguments: [String], _ title: String) throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{n: "1"}]}}
          row: {id: "${n}"}
          parameters: {q: {pattern: "[a-z0-9% ]+"}}
          cell: Label
          payload: {title: "${$params.q}"}
      """
    )
    let watched = try Command(
      ["watch", "http://127.0.0.1:\(service.port)"] + arguments + ["--json", "--seconds", "2"],
      in: try TemporaryFolder()
    )
    #expect(watched.status == 0, "\(watched.output)\(watched.errors)")
    let last = try JSONValue(parsing: String(watched.output.split(separator: "\n").last ?? Substring()))
    let row = last["sections"]?.elements.first?["rows"]?.elements.first
    #expect(row?["payload"]?["title"]?.text == title, "\(watched.output)")
  }

  /// A full disk, or a pipe that nobody reads.
  @Test func outputThatCanNotBeWrittenIsAFailure() throws {
    let service = try ServiceProcess(Self.table(rows: 1))
    let process = try Self.watch(service, "--json", "--seconds", "30")
    let errors = Pipe()
    (process.standardOutput, process.standardError) = (FileHandle(forWritingAtPath: "/dev/full"), errors)
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    #expect(text.contains("the output can't be written"), "\(text)")
  }

  /// A pipe that doesn't block its writer is full before the line is written.
  @Test func aLineIsWholeWhereTheOutputTakesNothingForAWhile() throws {
    let service = try ServiceProcess(Self.table(rows: 3000))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    let process = try Self.watch(service, "--json", "--seconds", "5")
    let pipe = Pipe()
    process.standardOutput = pipe
    let writer = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(writer, F_SETFL, fcntl(writer, F_GETFL) | O_NONBLOCK) == 0)
    try process.run()
    let reader = pipe.fileHandleForReading.fileDescriptor
    try awaited("a full pipe") {
      var count: Int32 = 0
      return ioctl(reader, UInt(FIONREAD), &count) == 0 && count >= 1 << 16
    }
    let handle = Unchecked(pipe.fileHandleForReading)
    let text = try Background("the lines") {
      String(decoding: handle.value.readDataToEndOfFile(), as: UTF8.self)
    }.value()
    process.waitUntilExit()
    let lines = text.split(separator: "\n")
    #expect(!lines.isEmpty && text.hasSuffix("\n"))
    for line in lines {
      let state = try JSONValue(parsing: String(line))
      #expect(state["sections"]?.elements.first?["rows"]?.elements.count == 3000)
    }
  }

  /// The shell has the terminal as it was as long as the program is stopped.
  @Test func aStoppedProgramLeavesTheTerminal() throws {
    let service = try ServiceProcess(Self.table(rows: 1))
    let terminal = try Terminal()
    let process = try Self.watch(service)
    (process.standardInput, process.standardOutput) = (terminal.device, terminal.device)
    try process.run()
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    try terminal.output.wait(for: "the table") { $0.contains("Title 1") ? true : nil }
    #expect(try !terminal.isCanonical)
    kill(process.processIdentifier, SIGTSTP)
    try terminal.output.wait(for: "the former screen") { $0.contains("\u{1B}[?1049l") ? true : nil }
    try awaited("a stopped process") {
      let line = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      return line.contains(") T ")
    }
    #expect(try terminal.isCanonical)
    kill(process.processIdentifier, SIGCONT)
    try terminal.output.wait(for: "the table once more") { text in
      let screens = text.components(separatedBy: "\u{1B}[?1049h")
      return screens.count == 3 && screens[2].contains("Title 1") ? true : nil
    }
    #expect(try !terminal.isCanonical)
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try terminal.isCanonical)
  }
}

/// A terminal without a screen.
private final class Terminal {
  /// The end that a program has.
  let device: FileHandle
  /// What the program has written.
  let output = Monitor("")

  init() throws {
    var (main, device): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &device, nil, nil, &size) == 0 else { throw Malformed("no terminal: \(errno)") }
    self.device = FileHandle(fileDescriptor: device, closeOnDealloc: true)
    // It ends when nobody has the device any more.
    Thread { [main, output] in
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(main, &bytes, bytes.count)
        guard count > 0 else { break }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        output.change { $0 += text }
      }
      close(main)
    }.start()
  }

  /// True if lines are edited before a program gets them, as a shell wants it.
  var isCanonical: Bool {
    get throws {
      var settings = termios()
      guard tcgetattr(device.fileDescriptor, &settings) == 0 else { throw Malformed("no terminal: \(errno)") }
      return settings.c_lflag & tcflag_t(ICANON) != 0
    }
  }
}
