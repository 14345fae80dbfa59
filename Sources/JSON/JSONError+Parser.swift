internal import CSimdJSON

extension JSONError {
  /// Returns the error for one of simdjson's codes.
  static func describing(_ code: Int, in bytes: UnsafeRawBufferPointer) -> JSONError {
    switch code {
    case csimdjson_memory: JSONError(.limit, "not enough memory for \(bytes.count) bytes")
    case csimdjson_depth: JSONError(.limit, "objects and arrays are nested too deep")
    case csimdjson_empty: JSONError(.truncated, "there is no value, only white space or nothing", offset: 0)
    case csimdjson_utf8: JSONError(.encoding, "the text is not UTF-8")
    case csimdjson_unclosed_string: JSONError(.truncated, "a string has no closing quote")
    case csimdjson_control_character:
      JSONError(.syntax, "a string has a control character in it, which must be escaped")
    case csimdjson_string: JSONError(.syntax, "a string has a wrong escape in it")
    case csimdjson_literal: JSONError(.syntax, "neither true, false nor null")
    case csimdjson_number: JSONError(.syntax, "not a number as JSON writes them")
    default: JSONError(.syntax, "not JSON")
    }
  }

  func moved(by offset: Int) -> JSONError {
    var error = self
    error.offset = (error.offset ?? 0) + offset
    return error
  }
}
