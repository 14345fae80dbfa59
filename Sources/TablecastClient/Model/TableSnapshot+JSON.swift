extension TableSnapshot {
  /// The shown state as one line of JSON: `{"table","cursor","state","connection","sections","window"}`. It has `find`
  /// if the table is searched, and `problem` if the service refuses it. Rows are as the service sent them. O(bytes).
  public var json: String {
    var output = JSONOutput()
    output.raw("{")
    output.member("table", name ?? address.segment)
    output.member("cursor", cursor?.text)
    output.member("state", state.rawValue)
    output.member("connection", connection.rawValue)
    output.name("sections")
    output.raw("[")
    for section in sections { section.write(to: &output) }
    output.raw("]")
    output.name("window")
    output.raw(window?.json ?? "null")
    if let find { output.member("find", find.json) }
    if let refusal = refusal ?? searchProblem {
      output.name("problem")
      refusal.write(to: &output)
    }
    output.raw("}")
    return String(decoding: output.bytes, as: UTF8.self)
  }
}
