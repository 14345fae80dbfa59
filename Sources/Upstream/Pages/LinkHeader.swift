/// `Link` (RFC 8288 section 3).
package enum LinkHeader {
  /// The first target whose relation types have `next`.
  package static func next(_ value: String) -> String? {
    var rest = Substring(value)
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      let parameters = rest.prefix { $0 != "<" }
      if isNext(parameters) { return String(target) }
      rest = rest[parameters.endIndex...]
    }
    return nil
  }

  private static func isNext(_ parameters: Substring) -> Bool {
    for parameter in parameters.split(whereSeparator: { $0 == ";" || $0 == "," }) {
      let (name, value) = String(parameter).split(at: "=")
      guard name.trimmingWhitespace.lowercased() == "rel", let value else { continue }
      let types = value.trimmingWhitespace.filter { $0 != "\"" }.lowercased().split(separator: " ")
      return types.contains("next")  // later `rel`s of one link do not count
    }
    return false
  }
}
