internal import CRE2

/// Why a text is no pattern: what is wrong, as a person can act on it.
public enum PatternError: Error, Equatable, Sendable, CustomStringConvertible {
  case malformed(String)
  /// Abilities of other regular expressions that a linear match doesn't have: look-around, back-references.
  case unsupported(String)
  case tooLarge(String)

  public var description: String {
    switch self {
    case .malformed(let text), .unsupported(let text), .tooLarge(let text): text
    }
  }

  init(_ error: cre2_error, part: String) {
    let seen = part.isEmpty ? "" : " `\(part)`"
    switch error {
    case cre2_unknown_group:
      self = .unsupported(
        "the group\(seen) is not supported: patterns match in linear time, without look-around and conditions"
      )
    case cre2_unknown_escape where part.dropFirst().first?.isNumber == true || part.hasPrefix("\\k"):
      self = .unsupported(
        "the back-reference\(seen) is not supported: patterns match in linear time"
      )
    case cre2_unknown_escape: self = .malformed("there is no escape\(seen)")
    case cre2_too_large: self = .tooLarge("the pattern is too large, or repeats more than 1000 times")
    default: self = .malformed("something is wrong at\(part.isEmpty ? " its end" : seen)")
    }
  }
}
