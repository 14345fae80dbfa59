public import JSON
public import Upstream

/// One answer of an API, as ``Discovery`` looks at it.
public struct APIAnswer: Sendable {
  /// The URL that was asked; nil where the answer came from a file.
  public var url: String?
  public var status: Int
  public var headers: [TransferField]
  public var body: JSONValue
  /// The format of the answer, as the key `format` names it; nil for JSON.
  public var format: String?

  public init(
    url: String?,
    status: Int = 200,
    headers: [TransferField] = [],
    body: JSONValue,
    format: String? = nil
  ) {
    (self.url, self.status, self.headers, self.body, self.format) = (url, status, headers, body, format)
  }

  var isSuccess: Bool { (200..<300).contains(status) }

  /// The URL with `name=value` in its query, as the service asks for a page; nil where the answer came from a file.
  func url(replacing name: String, with value: String) -> String? {
    url.flatMap(UpstreamURL.init)?.replacingQuery(name, with: value)?.absolute
  }
}
