/// Status lines of HTTP/1.1, made once (RFC 9112 section 4). The blank before an empty reason must stand.
enum StatusLine {
  private static let lines: [[UInt8]] = (200...599).map { code in
    Array("HTTP/1.1 \(code) \(Status(code).reason)\r\n".utf8)
  }

  static func bytes(of status: Status) -> [UInt8] { lines[status.code - 200] }
}
