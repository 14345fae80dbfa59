extension Request {
  /// The value of a header field; the first where there are several lines of it. Bytes that are not UTF-8 are
  /// repaired. O(number of fields).
  public func header(_ name: HeaderName) -> String? {
    head.firstIndex(of: name.folded).map { head.value(at: $0) }
  }

  /// The value of the field called `name`, in any case.
  public func header(_ name: String) -> String? {
    HeaderName(name).flatMap { header($0) }
  }

  /// The values of all lines of a header field, in order (RFC 9110 section 5.3). O(number of fields).
  public func values(_ name: HeaderName) -> [String] {
    head.indices(of: name.folded).map { head.value(at: $0) }
  }

  /// The members of a field that is a comma-separated list, over all of its lines, without the blanks around them
  /// and without empty ones (RFC 9110 section 5.6.1). Commas in quoted strings separate nothing.
  public func list(_ name: HeaderName) -> [String] {
    values(name).flatMap { FieldList.members(of: $0) }
  }

  /// All header fields as received, in order.
  public var headers: [(name: String, value: String)] {
    head.fields.indices.map { (head.name(at: $0), head.value(at: $0)) }
  }
}
