import ArgumentParser
import Upstream

/// The request headers of a caller, as arguments: `NAME: VALUE`.
struct CallerHeaders {
  private let fields: [TransferField]

  init(arguments: [String]) throws {
    fields = try arguments.map { argument in
      guard let colon = argument.firstIndex(of: ":"), colon > argument.startIndex else {
        throw ValidationError("`\(argument)` is not NAME: VALUE.")
      }
      let value = argument[argument.index(after: colon)...].drop { $0 == " " }
      guard let field = TransferField(String(argument[..<colon]), String(value)) else {
        throw ValidationError("`\(argument)` can't be a header: a name of letters, digits and -, a value of one line.")
      }
      return field
    }
  }

  var all: [TransferField] { fields }

  var names: [String] { fields.map(\.name) }

  /// Returns the fields of some names, which are compared without case (RFC 9110 §5.1).
  func fields(named names: [String]) -> [TransferField] {
    fields.filter { field in names.contains { $0.lowercased() == field.name.lowercased() } }
  }
}
