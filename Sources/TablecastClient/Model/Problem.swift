/// A problem document (RFC 9457): the service's answer to a request that it can't carry out.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  public var status: Int
  public var title: String
  public var detail: String
  /// The parameter or the member of the body that is at fault.
  public var field: String?
  /// The upstream's complaints about single members of the item, by name.
  public var fields: [String: [String]]

  public init(
    status: Int,
    title: String,
    detail: String = "",
    field: String? = nil,
    fields: [String: [String]] = [:]
  ) {
    (self.status, self.title, self.detail, self.field, self.fields) = (status, title, detail, field, fields)
  }

  init(_ json: JSONText, status: Int? = nil) {
    self.status = json["status"]?.integer ?? status ?? 0
    title = json["title"]?.string ?? "Refused"
    detail = json["detail"]?.string ?? ""
    field = json["field"]?.string ?? json["at"]?.text
    fields = [:]
    for (name, words) in json["fields"]?.members ?? [] {
      let texts = words.string.map { [$0] } ?? words.elements.compactMap(\.string)
      if !texts.isEmpty { fields[name] = texts }
    }
  }

  /// A reply that isn't 2xx: its problem, else what its status says. What a proxy wrote is not repeated.
  init(_ response: TransportResponse) {
    if let json = try? JSONText(response.body), json.isObject, json["title"] != nil || json["detail"] != nil {
      self.init(json, status: response.status)
      self.status = response.status
    } else {
      self.init(status: response.status, title: "HTTP status \(response.status)")
    }
  }

  public var description: String { "\(status) \(title)\(detail.isEmpty ? "" : ": \(detail)")" }

  /// As `init(_:status:)` reads it.
  func write(to output: inout JSONOutput) {
    output.raw("{")
    output.member("title", title)
    output.name("status")
    output.raw(String(status))
    output.member("detail", detail)
    if let field { output.member("field", field) }
    if !fields.isEmpty {
      output.name("fields")
      output.raw("{")
      for (name, texts) in fields.sorted(by: { $0.key < $1.key }) {
        output.name(name)
        output.raw("[")
        for text in texts {
          output.comma()
          output.string(text)
        }
        output.raw("]")
      }
      output.raw("}")
    }
    output.raw("}")
  }
}

extension TransportResponse {
  /// A problem document: the words of a Tablecast service, not a page of something that stands before it.
  var isProblem: Bool {
    headers["content-type"]?.lowercased().hasPrefix("application/problem+json") == true
      && (try? JSONText(body))?["title"]?.string != nil
  }
}
