internal import Definitions

/// An answer that may be in any format that sources have, for who looks at it without a source.
public struct ReadableAnswer: Sendable {
  /// The answer as JSON.
  public var json: [UInt8]
  /// As `format` of a source has it; nil for JSON.
  public var format: String?

  /// Why an answer can't be read: what it is, or what is wrong with it.
  public struct Failure: Error, Sendable {
    public var detail: String
  }

  /// - Parameters:
  ///   - type: its `Content-Type`.
  ///   - url: of the answer; nil where it came from a file: what is relative in it leads nowhere then.
  public init(_ body: [UInt8], type: String?, url: UpstreamURL?) throws(Failure) {
    guard body.contains(where: { !$0.isSpace }) else { throw Failure(detail: "is empty") }
    switch AnswerFormat.find(body, type: type, path: url?.path ?? "", stated: nil) {
    case .other(let name): throw Failure(detail: "is \(name); JSON, NDJSON, CSV and feeds can be read")
    case .format(.json): (json, format) = (body, nil)
    case .format(let found):
      guard let place = url ?? UpstreamURL("https://api.example.com/") else { throw Failure(detail: "has no place") }
      let text = AnswerText(format: found, url: place, charset: nil, limit: nil, maxBytes: 128 << 20)
      do throws(AnswerText.TextError) {
        json = try text.converted(body).body
      } catch {
        throw Failure(detail: "is no valid \(found.rawValue): \(error.detail)")
      }
      format = found.rawValue
    }
  }
}
