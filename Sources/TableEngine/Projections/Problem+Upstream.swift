import Definitions
import Expressions
import Foundation
import TableModel
import Upstream

extension Problem {
  /// Takes a failed fetch, as readers may be told of it: its kind and the host. An upstream's own words, paths and
  /// addresses are for the operator (`problems: full`, the log, `/v1/sources`).
  init(of error: UpstreamError, at source: UpstreamDefinition, showingItsWords: Bool = false, since: String) {
    let (title, detail) = showingItsWords ? (error.title, error.detail) : error.publicWords(at: source)
    self.init(title: title, detail: detail, since: since)
  }
}

extension UpstreamError {
  /// The kind of failure and the host, and nothing else.
  func publicWords(at source: UpstreamDefinition) -> (title: String, detail: String) {
    let host = source.host.map { "`\($0)`" } ?? "the upstream"
    return (kind.words.title, kind.words.detail.replacing("%", with: host))
  }
}

extension UpstreamDefinition {
  /// The host that its URL names, where that is written out in it; without user, password and port.
  fileprivate var host: String? {
    let text = url.literalPrefix
    guard let scheme = text.range(of: "://") else { return nil }
    let rest = text[scheme.upperBound...]
    // Text behind the literal part may belong to the host, unless that has ended.
    guard url.constant != nil || rest.contains(where: { "/?#".contains($0) }) else { return nil }
    let host = rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
    let bare = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return bare.isEmpty ? nil : String(bare)
  }
}

extension UpstreamError.Kind {
  /// A title and a detail, in which `%` is the host.
  fileprivate var words: (title: String, detail: String) {
    switch self {
    case .unusableRequest: ("The request can't be made", "What is to be asked of % can't be put into a request.")
    case .unusableValue:
      ("The request can't be made", "A value that it is made of would lead it elsewhere: nothing was sent to %.")
    case .unknownHost: ("The upstream was not found", "The name % has no address.")
    case .refused: ("The upstream refuses connections", "Nobody answers at %.")
    case .connectTimeout, .timeout, .stalled: ("The upstream is too slow", "% did not answer in time.")
    case .tls: ("The upstream can't be trusted", "No secure connection to % could be made.")
    case .interrupted: ("The upstream broke off", "The connection to % ended before the answer did.")
    case .malformedResponse: ("The upstream's answer is malformed", "What came from % is not HTTP.")
    case .bodyTooLarge, .headersTooLarge: ("The upstream's answer is too large", "What came from % is over a limit.")
    case .redirectRefused, .tooManyRedirects, .addressRefused:
      ("The upstream leads elsewhere", "% redirects to where this service does not go.")
    case .login: ("The service can't log in to the upstream", "This service's own credentials for % are not taken.")
    case .status: ("The upstream answered with an error", "% answered, but with an error.")
    case .contentType, .invalidJSON:
      ("The upstream's answer can't be read", "What came from % is not in the format that was expected.")
    case .unexpectedShape: ("The upstream's answer has no items", "What came from % is not what was expected.")
    case .paging: ("The upstream's pages can't be followed", "The pages of % lead nowhere.")
    case .excess: ("The upstream has more than may be taken", "% has more items than this service takes.")
    case .cancelled: ("The fetch was cancelled", "% was not asked to the end.")
    }
  }
}
