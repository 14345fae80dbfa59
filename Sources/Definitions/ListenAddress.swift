/// An address that a service listens on.
public struct ListenAddress: Equatable, Sendable {
  public var host = "127.0.0.1"
  /// 0: the kernel chooses.
  public var port: UInt16 = 8080

  public init() {}

  /// Reads `8080` (on 127.0.0.1), `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
  ///
  /// - Throws: what would be right. An IPv6 address without brackets is refused: its last group and a port look alike.
  public init(parsing text: String) throws(Mistake) {
    self.init()
    guard !text.contains("/") else {
      throw Mistake(suggestion: "write it without a scheme and a path: `127.0.0.1:8080`")
    }
    var port = text[...]
    if let separator = text.lastIndex(of: ":") {
      var host = text[..<separator]
      port = text[text.index(after: separator)...]
      if host.first == "[", host.last == "]", host.count > 2 {
        host = host.dropFirst().dropLast()
        guard host.contains(":") else { throw Mistake() }
      } else if text.first == "[", text.last == "]" {
        throw Mistake(suggestion: "an address in brackets is followed by a port: `\(text):8080`")
      } else if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
        guard !text.contains(where: { "[]".contains($0) }) else { throw Mistake() }
        throw Mistake(suggestion: "an IPv6 address stands in brackets, and a port behind them: `[\(text)]:8080`")
      }
      guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || "[]".contains($0) }) else { throw Mistake() }
      self.host = String(host)
    }
    guard let number = UInt16(port), port.utf8.allSatisfy({ (48...57).contains($0) }) else { throw Mistake() }
    self.port = number
  }

  /// The text is no address and port.
  public struct Mistake: Error, Equatable {
    /// A corrected address, for the error message.
    public var suggestion: String

    init(suggestion: String = "write it as `127.0.0.1:8080`, `\"[::1]:8080\"` or `8080`") {
      self.suggestion = suggestion
    }
  }
}
