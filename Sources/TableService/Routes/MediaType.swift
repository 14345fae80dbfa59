import HTTPServer
import TableEngine

/// What an answer is made of, as `Accept` is asked for it.
struct MediaType: Sendable {
  let type: String
  let subtype: String

  static let json = MediaType(type: "application", subtype: "json")
  static let script = MediaType(type: "text", subtype: "javascript")
  static let eventStream = MediaType(type: "text", subtype: "event-stream")

  var name: String { "\(type)/\(subtype)" }

  /// Whether the members of an `Accept` leave it: the most exact range that matches decides, by its `q` (RFC 9110 section
  /// 12.5.1). None at all: anything is welcome.
  func isAcceptable(among ranges: [String]) -> Bool {
    var best: (precision: Int, isWelcome: Bool)?
    for range in ranges {
      let parts = range.lowercased().split(separator: ";").map { String($0).trimmingSpaces }
      guard let precision = precision(of: parts.first ?? "") else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if precision >= best?.precision ?? 0 { best = (precision, weight > 0) }
    }
    return ranges.isEmpty || best?.isWelcome ?? false
  }

  /// How exactly a range names it; nil where it names something else.
  private func precision(of range: String) -> Int? {
    switch range {
    case name: 2
    case "\(type)/*": 1
    case "*/*": 0
    default: nil
    }
  }
}

extension Request {
  /// Refuses a client that takes nothing of what it would get.
  func checkAccept(_ mediaType: MediaType) throws(ServiceError) {
    guard !mediaType.isAcceptable(among: list(.accept)) else { return }
    throw ServiceError(
      status: .notAcceptable,
      detail: "`Accept` leaves out `\(mediaType.name)`, and there is nothing else here.",
      field: "Accept"
    )
  }
}
