public import JSON

/// One answer of an API, as ``Discovery`` looks at it.
public struct APIAnswer: Sendable {
  /// What was asked; nil where the answer came from a file.
  public var url: String?
  public var status: Int
  /// In the order of the answer.
  public var headers: [Header]
  public var body: JSONValue

  public struct Header: Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public init(url: String?, status: Int = 200, headers: [Header] = [], body: JSONValue) {
    (self.url, self.status, self.headers, self.body) = (url, status, headers, body)
  }

  /// The first value under a name, in any case (RFC 9110 section 5.1).
  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  var isSuccess: Bool { (200..<300).contains(status) }
}
