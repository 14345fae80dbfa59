internal import Definitions
internal import Foundation

/// How the requests of one source prove that they are the service's.
struct Login: Sendable {
  private let auth: UpstreamAuth
  private let security: TransferSecurity

  /// Nil where the source has no `auth`.
  init?(_ definition: UpstreamDefinition, _ security: TransferSecurity) {
    guard let auth = definition.auth else { return nil }
    (self.auth, self.security) = (auth, security)
  }

  /// The header field that a request is sent with, and the token in it, if that may change.
  struct Proof: Sendable {
    var field: TransferField
    var token: String?
  }

  /// - Parameter completion: on the client's queue, on which this is called; at once where there is nothing to ask for.
  func prove(_ client: TransferClient, _ completion: @escaping (Result<Proof, UpstreamError>) -> Void) {
    switch auth {
    case .basic(let user, let password):
      completion(Self.proof("Basic", Self.basic(user, password)))
    case .bearer(let token): completion(Self.proof("Bearer", token))
    case .oauth2:
      holder(client)?.token { result in
        completion(result.flatMap { token in Self.proof("Bearer", token, changing: token) })
      }
    }
  }

  /// The upstream has answered 401 to a proof.
  ///
  /// - Returns: whether another one is worth a second request.
  func refused(_ proof: Proof, _ client: TransferClient) -> Bool {
    guard let token = proof.token else { return false }
    return holder(client)?.refused(token) ?? false
  }

  func accepted(_ proof: Proof, _ client: TransferClient) {
    if let token = proof.token { holder(client)?.accepted(token) }
  }

  private func holder(_ client: TransferClient) -> TokenHolder? {
    guard case .oauth2(let definition) = auth else { return nil }
    return client.tokens(TokenHolder.Key(definition: definition, security: security))
  }

  private static func proof(_ scheme: String, _ credentials: String, changing token: String? = nil)
    -> Result<Proof, UpstreamError>
  {
    Result { () throws(UpstreamError) in Proof(field: try .authorization(scheme, credentials), token: token) }
  }

  /// User and password as RFC 7617 has them.
  static func basic(_ user: String, _ password: String) -> String {
    Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// The secrets that nobody may read, without tokens that are not known yet.
  var secrets: [String] {
    switch auth {
    case .basic(let user, let password): [password, Self.basic(user, password)]
    case .bearer(let token): [token]
    case .oauth2(let definition): definition.secrets
    }
  }
}
