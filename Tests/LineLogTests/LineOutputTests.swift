import Dispatch
import Foundation
import Logging
import Synchronization
import Testing

@testable import LineLog

/// Lines that somebody reads slowly, or not at all.
@Suite struct LineOutputTests {
  /// A pipe, of which all is read that is written to it, from when on that is asked for.
  private final class Pipe: Sendable {
    let (input, output): (Int32, Int32)
    private let read = Mutex<[UInt8]>([])
    private let isRead = DispatchSemaphore(value: 0)

    init(nonBlocking: Bool = false) throws {
      var ends: [Int32] = [0, 0]
      let code = pipe(&ends)
      try #require(code == 0)
      (output, input) = (ends[0], ends[1])
      if nonBlocking { try #require(fcntl(input, F_SETFL, O_NONBLOCK) == 0) }
    }

    func beginReading() {
      Thread.detachNewThread { [self] in
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = Glibc.read(output, &buffer, buffer.count)
          guard count > 0 else { break }
          read.withLock { $0 += buffer[..<count] }
        }
        close(output)
        isRead.signal()
      }
    }

    /// The lines until the end, which is now; the last one is empty where all have ends.
    func lines() -> [String] {
      close(input)
      isRead.wait()
      let bytes = read.withLock { $0 }
      return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func notice(_ lost: Int) -> [UInt8] { Array("lost \(lost)".utf8) }

  /// Who logs goes on; what there is room for comes later, and of the rest the number.
  @Test(.timeLimit(.minutes(5)), arguments: [false, true]) func aReaderThatStallsStopsNobody(nonBlocking: Bool) throws {
    let pipe = try Pipe(nonBlocking: nonBlocking)
    let output = LineOutput(pipe.input, capacity: 100_000)
    let padding = String(repeating: "x", count: 1_000)
    for number in 0..<1_000 { output.write(Array("\(number) \(padding)".utf8), afterLoss: Self.notice) }
    #expect(!output.flush(within: .zero))
    pipe.beginReading()
    #expect(output.flush(within: .seconds(240)))
    output.write(Array("last".utf8), afterLoss: Self.notice)
    #expect(output.flush(within: .seconds(240)))
    let lines = pipe.lines()
    #expect(lines.suffix(2) == ["last", ""])
    let notices = lines.filter { $0.hasPrefix("lost ") }
    let lost = notices.compactMap { Int($0.dropFirst(5)) }.reduce(0, +)
    let kept = lines.dropLast(2).filter { !$0.hasPrefix("lost ") }
    #expect(notices.count == 1 && lost > 0 && kept.count + lost == 1_000)
    #expect(kept == (0..<kept.count).map { "\($0) \(padding)" })
  }

  /// Lines that are longer than what a pipe takes at once, of threads that write at the same time.
  @Test(.timeLimit(.minutes(5))) func linesOfSeveralThreadsStayWhole() throws {
    let pipe = try Pipe()
    let output = LineOutput(pipe.input, capacity: .max)
    pipe.beginReading()
    let threads = Array("abcdefgh")
    DispatchQueue.concurrentPerform(iterations: threads.count) { thread in
      let line = Array(String(repeating: threads[thread], count: 20_000).utf8)
      for _ in 0..<20 { output.write(line, afterLoss: Self.notice) }
    }
    #expect(output.flush(within: .seconds(240)))
    let counts = Dictionary(pipe.lines().map { ($0, 1) }, uniquingKeysWith: +)
    let expected = threads.map { (String(repeating: $0, count: 20_000), 20) } + [("", 1)]
    let areWhole = counts == Dictionary(uniqueKeysWithValues: expected)
    #expect(areWhole)
  }

  /// What can't be written is gone, and nothing waits for it.
  @Test func aFullDiskStopsNobody() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    let output = LineOutput(full)
    for _ in 0..<10 { output.write([UInt8](repeating: 7, count: 10_000), afterLoss: Self.notice) }
    #expect(output.flush(within: .zero))
    close(full)
  }

  /// A loss is told as any other message is.
  @Test(arguments: [LineLogHandler.Format.text, .json]) func aLossIsAMessage(format: LineLogHandler.Format) throws {
    let pipe = try Pipe()
    let output = LineOutput(pipe.input, capacity: 20_000)
    let logger = Logger(label: "test") { _ in LineLogHandler(logLevel: .info, format: format, output: output) }
    for _ in 0..<1_000 { logger.info("\(String(repeating: "x", count: 1_000))") }
    pipe.beginReading()
    #expect(output.flush(within: .seconds(240)))
    logger.info("last")
    #expect(output.flush(within: .seconds(240)))
    let lines = pipe.lines()
    let notice = try #require(lines.dropLast(2).last)
    #expect(notice.contains("Lines of the log were lost") && lines.dropLast().last?.contains("last") == true)
    switch format {
    case .text: #expect(notice.contains("  lines: "))
    case .json: #expect(notice.contains(#""level":"warning","lines":"#))
    }
  }
}
