import FieldValues

/// How a table is addressed: a name, and for a family of tables its parameters, `issues;owner=apple;repo=swift`.
package struct TableReference: Hashable, Sendable {
  package var name: String
  /// In the order of their names; values decoded.
  package var parameters: [Parameter]

  package struct Parameter: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  package init(name: String, parameters: [Parameter] = []) {
    self.name = name
    self.parameters = parameters.sorted { $0.name < $1.name }
  }

  /// Reads a path segment, still percent-encoded; nil where an escape is malformed or a name is empty. A parameter
  /// without `=` has an empty value.
  package init?(segment: some StringProtocol) {
    // No family's member, and nothing to decode: as most are.
    guard segment.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
      if segment.isEmpty { return nil }
      self.init(name: String(segment))
      return
    }
    let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
    guard let name = PercentCoding.decodeText(parts[0]), !name.isEmpty else { return nil }
    var parameters: [Parameter] = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = PercentCoding.decodeText(pair[0]),
        let value = PercentCoding.decodeText(pair.count == 2 ? pair[1] : ""), !key.isEmpty
      else { return nil }
      parameters.append(Parameter(name: key, value: value))
    }
    self.init(name: name, parameters: parameters)
  }

  /// The one form in which a set of values is written: keys in order, values percent-encoded.
  package var canonical: String {
    parameters.reduce(name) { "\($0);\($1.name)=\(PercentCoding.encode($1.value))" }
  }

  /// `canonical` as a path segment.
  package var segment: String {
    parameters.reduce(PercentCoding.encode(name)) {
      "\($0);\(PercentCoding.encode($1.name))=\(PercentCoding.encode($1.value))"
    }
  }
}

/// By their bytes: Swift holds texts equal that are written differently, and upstreams are sent the very bytes.
extension TableReference.Parameter {
  package static func == (first: Self, second: Self) -> Bool {
    first.name.utf8.elementsEqual(second.name.utf8) && first.value.utf8.elementsEqual(second.value.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for text in [name, value] {
      for byte in text.utf8 { hasher.combine(byte) }
      // No byte of UTF-8: where one text ends.
      hasher.combine(0xff as UInt8)
    }
  }
}
