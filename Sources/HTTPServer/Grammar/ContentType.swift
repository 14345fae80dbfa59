/// The value of `Content-Type`: a media type and its parameters (RFC 9110 section 8.3.1).
public struct ContentType: Hashable, Sendable {
  /// The media type in lower case: `application/json`.
  public var mediaType: String
  /// In their order; names in lower case, values without their quotes. What has no `=` is none.
  public var parameters: [Parameter] = []

  public struct Parameter: Hashable, Sendable {
    public var name: String
    public var value: String
  }

  /// The values that are given to a parameter: more than one is nobody's intention.
  public subscript(name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// O(length).
  public init(_ text: String) {
    let parts = Self.parts(of: text)
    mediaType = (parts.first ?? "").lowercased()
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let value = part[part.index(after: equals)...]
      parameters.append(Parameter(name: part[..<equals].lowercased(), value: Self.unquoted(value)))
    }
  }

  /// Returns the parts between the semicolons; those in quotes separate nothing.
  private static func parts(of text: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    var (isQuoted, isEscaped) = (false, false)
    for byte in text.utf8 {
      if byte == UInt8(ascii: ";"), !isQuoted {
        parts.append([])
        continue
      }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), isQuoted {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      }
      parts[parts.count - 1].append(byte)
    }
    return parts.map { String(decoding: FieldList.trimmed($0[...]), as: UTF8.self) }
  }

  private static func unquoted(_ value: Substring) -> String {
    guard value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") else { return String(value) }
    var result = ""
    var isEscaped = false
    for character in value.dropFirst().dropLast() {
      isEscaped = character == "\\" && !isEscaped
      if !isEscaped { result.append(character) }
    }
    return result
  }
}
