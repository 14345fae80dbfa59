internal import Definitions
internal import JSON

extension ResponseCheck {
  /// Returns the format of a page.
  ///
  /// - Throws: what it is, where that can't be read.
  func format(of response: TransferResponse, _ definition: UpstreamDefinition) throws(UpstreamError) -> SourceFormat {
    try format(of: response, stated: definition.format)
  }

  /// - Throws: where an answer that should be JSON is something else.
  func checkIsJSON(_ response: TransferResponse) throws(UpstreamError) {
    let format = try format(of: response, stated: nil)
    guard format != .json else { return }
    throw unreadable(response, "this is \(format.rawValue.uppercased())", "JSON is expected here")
  }

  private func format(of response: TransferResponse, stated: SourceFormat?) throws(UpstreamError) -> SourceFormat {
    let type = response.headers.first(named: "Content-Type")
    switch AnswerFormat.find(response.body, type: type, path: response.url.path, stated: stated) {
    case .format(let format): return format
    case .other(let name):
      let readable =
        stated.map { "`format: \($0.rawValue)` is configured" } ?? "JSON, NDJSON, CSV and feeds can be read"
      throw unreadable(response, "this is \(redaction.clean(name))", readable)
    }
  }

  /// The page as JSON.
  ///
  /// - Parameter limit: of items: what follows is left away.
  func converted(
    _ response: TransferResponse,
    _ format: SourceFormat,
    _ definition: UpstreamDefinition,
    limit: Int
  ) throws(UpstreamError) -> AnswerText.Converted {
    let type = response.headers.first(named: "Content-Type")
    let text = AnswerText(
      format: format,
      url: response.url,
      charset: type.flatMap(Self.charset),
      // Nobody knows how much an expression takes of the list.
      limit: definition.items == nil ? limit : nil,
      maxBytes: min(definition.maxBytes, .max / 4) * 4
    )
    do throws(AnswerText.TextError) {
      return try text.converted(response.body)
    } catch {
      throw UpstreamError(
        .invalidJSON,
        title: "The upstream's answer is not valid \(format.title)",
        detail: "\(response.url), \(response.body.count) bytes: \(redaction.clean(error.detail))"
      )
    }
  }

  /// The error of an answer that can't be read as JSON: where it is wrong, or that it is none at all.
  func invalid(_ error: JSONError, in body: [UInt8], of url: UpstreamURL, type: String?) -> UpstreamError {
    let kind = type.map { " of `\(redaction.clean($0))`" } ?? ""
    var reason = error.description
    // A parser's complaint about the first letters of a text says nothing of it.
    if error.kind != .encoding, error.kind != .limit, AnswerFormat.isForeign(body) {
      reason = "this is no JSON" + (ReasonText.reason(in: body, type: type).map { "; it says: \($0)" } ?? "")
    }
    return UpstreamError(
      .invalidJSON,
      title: "The upstream's answer is not valid JSON",
      detail: "\(url), \(body.count) bytes\(kind): \(redaction.clean(reason))"
    )
  }

  private static func charset(of type: String) -> String? {
    for parameter in type.split(separator: ";").dropFirst() {
      let (name, value) = String(parameter).split(at: "=")
      guard name.trimmingWhitespace.equalsIgnoringCase("charset"), let value else { continue }
      let plain = value.trimmingWhitespace.filter { $0 != "\"" && $0 != "'" }
      return plain.isEmpty ? nil : plain
    }
    return nil
  }

  private func unreadable(_ response: TransferResponse, _ what: String, _ wanted: String) -> UpstreamError {
    UpstreamError(
      .contentType,
      title: "The upstream's answer is no JSON",
      detail: "\(response.url) answered \(response.status), and \(what); \(wanted)",
      status: response.status
    )
  }
}

extension SourceFormat {
  fileprivate var title: String {
    switch self {
    case .json: "JSON"
    case .ndjson: "NDJSON"
    case .csv: "CSV"
    case .feed: "feed"
    }
  }
}
