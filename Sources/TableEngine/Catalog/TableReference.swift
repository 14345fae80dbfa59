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

  /// More than a table has.
  private static let mostParameters = 256

  /// Reads a path segment, still percent-encoded; nil where an escape is malformed, a name is empty, or there are more
  /// than 256 parameters. A parameter without `=` has an empty value. O(bytes).
  package init?(segment: some StringProtocol) { self.init(text: String(segment)) }

  private init?(text segment: String) {
    // No family's member, and nothing to decode: as most are.
    guard segment.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
      if segment.isEmpty { return nil }
      self.init(name: segment)
      return
    }
    let parts = segment.utf8.split(
      separator: UInt8(ascii: ";"),
      maxSplits: Self.mostParameters + 1,
      omittingEmptySubsequences: false
    )
    guard parts.count <= Self.mostParameters + 1, let name = PercentCoding.decodeText(Substring(parts[0])),
      !name.isEmpty
    else { return nil }
    var parameters: [Parameter] = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = PercentCoding.decodeText(Substring(pair[0])),
        let value = PercentCoding.decodeText(pair.count == 2 ? Substring(pair[1]) : ""), !key.isEmpty
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

/// By their bytes: Swift holds names equal that are written differently.
extension TableReference {
  package static func == (first: Self, second: Self) -> Bool {
    first.name.utf8.elementsEqual(second.name.utf8) && first.parameters == second.parameters
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(Parameter(name: name, value: ""))
    hasher.combine(parameters)
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
