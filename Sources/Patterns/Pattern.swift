internal import CRE2

/// A regular expression for texts that others send: it matches in time linear in the text, whatever both are, and its
/// memory is bounded. The syntax is RE2's (https://github.com/google/re2/wiki/Syntax): what needs backtracking,
/// look-around and back-references, is refused.
public struct Pattern: Sendable {
  /// As it was written.
  public let text: String
  private let program: Program

  /// At most so many bytes of text.
  public static let maximumLength = 1000
  /// Bytes that a compiled pattern with its caches may take.
  static let maximumMemory: Int64 = 1 << 20

  /// Compiles a pattern. Complexity: O(length), and no more than the bounds allow.
  public init(_ text: String) throws(PatternError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw .tooLarge("a pattern has at most \(Self.maximumLength) bytes, this has \(text.utf8.count)")
    }
    (self.text, program) = (text, try Program(text))
  }

  /// Returns whether a text matches as a whole. Complexity: O(length of the text).
  public func matches(_ text: String) -> Bool { program.matches(text) }
}

extension Pattern: Hashable {
  /// Written the same, byte for byte.
  public static func == (first: Pattern, second: Pattern) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

/// `@unchecked Sendable`: RE2's compiled patterns may be used from several threads at once, and this one is freed in
/// `deinit` alone.
private final class Program: @unchecked Sendable {
  private let compiled: OpaquePointer

  init(_ text: String) throws(PatternError) {
    var error = cre2_fine
    var part = [CChar](repeating: 0, count: 128)
    var text = text
    let compiled = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        cre2_compile(characters.baseAddress, characters.count, Pattern.maximumMemory, &error, &part, part.count)
      }
    }
    guard let compiled else {
      throw PatternError(
        error,
        part: String(decoding: part.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      )
    }
    self.compiled = compiled
  }

  deinit { cre2_free(compiled) }

  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cre2_matches(compiled, $0.baseAddress, $0.count) }
    }
  }
}
