/// What a service says of a request that it can't do (RFC 9457).
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  public var status: Int
  public var title: String
  public var detail: String
  /// The parameter or the member of the body to blame.
  public var field: String?
  /// What is wrong with single members of an edit, by their dotted names: what a form shows beside its fields.
  public var fields: [String: [String]]

  public init(status: Int, title: String, detail: String = "", field: String? = nil, fields: [String: [String]] = [:]) {
    (self.status, self.title, self.detail, self.field, self.fields) = (status, title, detail, field, fields)
  }

  init(_ json: JSONText, status: Int? = nil) {
    self.status = json["status"]?.integer ?? status ?? 0
    title = json["title"]?.string ?? "Refused"
    detail = json["detail"]?.string ?? ""
    field = json["field"]?.string ?? json["at"]?.text
    fields = Dictionary(
      (json["fields"]?.members ?? []).map { ($0.name, $0.value.elements.compactMap(\.string)) },
      uniquingKeysWith: { first, _ in first }
    )
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
}
