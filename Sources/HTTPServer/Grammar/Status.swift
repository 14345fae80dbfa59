/// A final status code (RFC 9110 section 15).
public struct Status: Hashable, Sendable {
  /// Three digits, 200 to 599.
  public let code: Int

  /// A code outside of 200–599 becomes 500: an interim or impossible status can't be built.
  public init(_ code: Int) { self.code = (200...599).contains(code) ? code : 500 }

  public static let ok = Status(200)
  public static let created = Status(201)
  public static let accepted = Status(202)
  public static let noContent = Status(204)
  public static let notModified = Status(304)
  public static let badRequest = Status(400)
  public static let unauthorized = Status(401)
  public static let forbidden = Status(403)
  public static let notFound = Status(404)
  public static let methodNotAllowed = Status(405)
  public static let notAcceptable = Status(406)
  public static let requestTimeout = Status(408)
  public static let conflict = Status(409)
  public static let gone = Status(410)
  public static let preconditionFailed = Status(412)
  public static let contentTooLarge = Status(413)
  public static let uriTooLong = Status(414)
  public static let unsupportedMediaType = Status(415)
  public static let expectationFailed = Status(417)
  public static let misdirectedRequest = Status(421)
  public static let unprocessableContent = Status(422)
  public static let tooManyRequests = Status(429)
  public static let requestHeaderFieldsTooLarge = Status(431)
  public static let internalServerError = Status(500)
  public static let notImplemented = Status(501)
  public static let badGateway = Status(502)
  public static let serviceUnavailable = Status(503)
  public static let gatewayTimeout = Status(504)
  public static let insufficientStorage = Status(507)
  public static let httpVersionNotSupported = Status(505)

  /// The registered name, empty where there is none.
  public var reason: String {
    switch code {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: ""
    }
  }

  /// RFC 9112 section 6.3 #1: these never have a body, whatever the header fields say.
  var forbidsBody: Bool { code == 204 || code == 304 }
}
