import ArgumentParser
import Foundation

/// Writes what a command was asked for to the standard output, at once, also where that is no terminal.
///
/// - Throws: where it can't be written, which is said.
func show(_ text: String) throws {
  do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
    throw CleanExit.failure("the output can't be written: \((error as NSError).localizedDescription)")
  }
}

extension CleanExit {
  /// An error that says enough by itself. What an upstream has said may be in it.
  static func failure(_ message: String) -> any Error {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { TerminalText.oneLine(String($0)) }.joined(separator: "\n")
    try? FileHandle.standardError.write(contentsOf: Data("tablecast: \(text)\n".utf8))
    return ExitCode(1)
  }
}
