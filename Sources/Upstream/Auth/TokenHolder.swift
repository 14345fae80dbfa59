internal import Definitions
internal import JSON

/// The token of one client: asked for once for all sources and edits that want it, in memory alone.
///
/// Touched on the client's queue alone.
final class TokenHolder {
  typealias Completion = (Result<String, UpstreamError>) -> Void

  /// The key of equal tokens.
  struct Key: Hashable {
    var definition: OAuth2Definition
    var security: TransferSecurity
  }

  private let key: Key
  private weak var client: TransferClient?
  private var life = TokenLife()
  private var waiting: [Completion] = []
  /// As the endpoint wants it; nil: not known yet.
  private var style: TokenRequest.Style?
  /// The endpoint's newest, where it gives a new one with each token.
  private var refresh: String?

  init(_ key: Key, client: TransferClient) {
    (self.key, self.client) = (key, client)
    refresh = key.definition.refresh
  }

  /// - Parameter completion: called once, on the client's queue; at once where there is a token.
  func token(_ completion: @escaping Completion) {
    switch life.wanted(at: .now) {
    case .use(let token): completion(.success(token))
    case .failed(let error): completion(.failure(error))
    case .wait: waiting.append(completion)
    case .ask:
      waiting.append(completion)
      ask(style ?? .basic)
    }
  }

  /// As ``TokenLife/refused(_:at:)``.
  func refused(_ token: String) -> Bool { life.refused(token, at: .now) }

  func accepted(_ token: String) { life.accepted(token) }

  private func ask(_ style: TokenRequest.Style) {
    let request = TokenRequest(definition: key.definition, security: key.security, refresh: refresh, style: style)
    let asked = Duration.now
    do throws(UpstreamError) {
      let transfer = try request.transfer()
      // Touched on the client's queue alone, where it comes back to.
      nonisolated(unsafe) let holder = self
      client?.send(transfer) { holder.answered($0, request, asked: asked) }
    } catch {
      end(.failure(error), asked: asked)
    }
  }

  private func answered(
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TokenRequest,
    asked: Duration
  ) {
    do throws(UpstreamError) {
      let response: TransferResponse
      switch result {
      case .success(let answer): response = answer
      case .failure(let error): throw .login("no token could be had: \(error.detail)")
      }
      if style == nil, request.style == .basic, request.isRefusal(response) { return ask(.body) }
      let grant: TokenRequest.Grant
      do throws(UpstreamError) {
        grant = try request.grant(response)
      } catch {
        // One that was given in place of the configured one may be used up.
        if request.refusesGrant(response) { refresh = key.definition.refresh }
        throw error
      }
      style = request.style
      if key.definition.refresh != nil, let next = grant.refresh { refresh = next }
      end(.success(grant), asked: asked)
    } catch {
      end(.failure(error), asked: asked)
    }
  }

  private func end(_ result: Result<TokenRequest.Grant, UpstreamError>, asked: Duration) {
    let told: Result<String, UpstreamError>
    switch result {
    case .success(let grant):
      life.came(grant.token, lifetime: grant.lifetime, asked: asked)
      told = .success(grant.token)
    case .failure(let error): told = life.failed(error, at: .now).map { .success($0) } ?? .failure(error)
    }
    let answered = waiting
    waiting = []
    for completion in answered { completion(told) }
  }
}
