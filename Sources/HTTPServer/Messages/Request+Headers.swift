extension Request {
  /// The value of a header field; the first where there are several lines of it. Bytes that are not UTF-8 are
  /// repaired. O(number of fields).
  public func header(_ name: HeaderName) -> String? {
    head.firstIndex(of: name.folded).map { head.value(at: $0) }
  }

  /// True if a field has several lines. O(number of fields).
  public func isRepeated(_ name: HeaderName) -> Bool { head.indices(of: name.folded).count > 1 }

  /// The value of the field called `name`, in any case.
  public func header(_ name: String) -> String? {
    HeaderName(name).flatMap { header($0) }
  }

  /// The bytes of a header field's value, which share the head's; of the first line where there are several of it.
  /// O(number of fields).
  public func valueBytes(_ name: HeaderName) -> ArraySlice<UInt8>? {
    head.firstIndex(of: name.folded).map { head.valueBytes(at: $0) }
  }

  /// Calls `body` with each member of a field that is a comma-separated list, over all of its lines (RFC 9110 section 5.3),
  /// without the blanks around it and without empty ones (section 5.6.1), until it returns false. The members share the
  /// head's bytes: nothing is copied. O(bytes of the field).
  ///
  /// - Parameter quoted: commas in quoted strings separate nothing.
  public func forEachMember(of name: HeaderName, quoted: Bool = true, _ body: (ArraySlice<UInt8>) -> Bool) {
    for index in head.indices(of: name.folded) {
      guard FieldList.forEach(of: head.valueBytes(at: index), quoted: quoted, body) else { return }
    }
  }

  /// All header fields as received, in order.
  public var headers: [(name: String, value: String)] {
    head.fields.indices.map { (head.name(at: $0), head.value(at: $0)) }
  }
}
