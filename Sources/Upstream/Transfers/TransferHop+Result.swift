internal import CCurl
internal import Glibc

extension TransferHop {
  var status: Int { long(CURLINFO_RESPONSE_CODE) }
  var openedConnections: Int { long(CURLINFO_NUM_CONNECTS) }

  var httpVersion: TransferResponse.HTTPVersion {
    switch long(CURLINFO_HTTP_VERSION) {
    case CURL_HTTP_VERSION_2_0: .http2
    case CURL_HTTP_VERSION_3: .http3
    default: .http1
    }
  }

  /// Returns the error for libcurl's code, in words for a person; nil for success.
  func failure(_ code: CURLcode) -> UpstreamError? {
    if code == CURLE_OK { return nil }
    let who = request.url.origin.description
    let what = "\(request.method) \(request.url)"
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return UpstreamError(
        .unknownHost,
        title: "The upstream's name has no address",
        detail: "\(request.url.origin.host) is not known",
        mayHaveArrived: false
      )
    // Where this side wants more, the content can't be decoded.
    case CURLE_WRITE_ERROR, CURLE_BAD_CONTENT_ENCODING: return violation.map(refusal) ?? undecodable(what)
    case CURLE_COULDNT_CONNECT, CURLE_ABORTED_BY_CALLBACK:
      return violation.map(refusal) ?? connectionFailure(who)
    case CURLE_OPERATION_TIMEDOUT: return timeoutFailure(who, what)
    case CURLE_FILESIZE_EXCEEDED: return refusal(.bodyTooLarge)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED,
      CURLE_SSL_ENGINE_INITFAILED:
      return UpstreamError(
        .tls,
        title: "No trusted TLS connection to the upstream",
        detail: "\(who): \(errorDetail)",
        mayHaveArrived: false
      )
    // TLS 1.3: the server says after the handshake that it wants another certificate, or any.
    case CURLE_RECV_ERROR where isCertificateRefused, CURLE_SEND_ERROR where isCertificateRefused:
      return UpstreamError(
        .tls,
        title: "No trusted TLS connection to the upstream",
        detail: "\(who): \(errorDetail)",
        mayHaveArrived: false
      )
    case CURLE_RECV_ERROR where errorDetail.contains("chunked-encoding"): return malformed(code, what)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM, CURLE_HTTP2:
      return interruption(code, what)
    default: return malformed(code, what)
    }
  }

  private func malformed(_ code: CURLcode, _ what: String) -> UpstreamError {
    UpstreamError(
      .malformedResponse,
      title: "The upstream's answer is not valid HTTP",
      detail: "\(what): \(errorDetail.isEmpty ? String(cString: curl_easy_strerror(code)) : errorDetail)"
    )
  }

  private func undecodable(_ what: String) -> UpstreamError {
    UpstreamError(
      .malformedResponse,
      title: "The upstream's answer can't be decompressed",
      detail:
        "\(what): its `Content-Encoding` is not what follows, or something follows the end of it; a gzip stream of one "
        + "member, `deflate` or no coding can be read"
    )
  }

  private var isCertificateRefused: Bool { request.url.origin.isSecure && Self.refusesCertificate(errorDetail) }

  /// Returns whether OpenSSL tells of an alert against the client's certificate (RFC 8446 section 6.2). The server has
  /// not read the request then; of any other alert that is not known.
  static func refusesCertificate(_ detail: String) -> Bool {
    detail.contains("alert") && ["certificate", "unknown ca", "access denied"].contains { detail.contains($0) }
  }

  private func refusal(_ violation: Violation) -> UpstreamError {
    let who = request.url.description
    switch violation {
    case .bodyTooLarge:
      return UpstreamError(
        .bodyTooLarge,
        title: "The upstream's answer is too large",
        detail: "\(who) sent more than \(request.limits.maxBodyBytes) bytes (decompressed); `maxBytes` is the limit"
      )
    case .headersTooLarge:
      return UpstreamError(
        .headersTooLarge,
        title: "The upstream's header section is too large",
        detail: "\(who) sent more than \(request.limits.maxHeaderBytes) bytes of header fields"
      )
    case .privateAddress where privateAddresses == .refused:
      return UpstreamError(
        .addressRefused,
        title: "The upstream's address is private",
        detail: "\(request.url.origin) is inside, and `allowPrivate` is false",
        mayHaveArrived: false
      )
    case .privateAddress:
      return UpstreamError(
        .redirectRefused,
        title: "The upstream redirects to a private address",
        detail: "a redirect led to \(request.url.origin), which is inside; `allowPrivateRedirects` would permit it",
        mayHaveArrived: false
      )
    }
  }

  private func connectionFailure(_ who: String) -> UpstreamError {
    let system = Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO))
    let reason =
      switch system {
      case ECONNREFUSED: "\(who) refused the connection"
      case 0: "\(who) could not be connected to"
      default: "\(who) could not be connected to: \(String(cString: strerror(system)))"
      }
    return UpstreamError(.refused, title: "The upstream can't be reached", detail: reason, mayHaveArrived: false)
  }

  private func timeoutFailure(_ who: String, _ what: String) -> UpstreamError {
    if size(CURLINFO_PRETRANSFER_TIME_T) == 0 {
      let limit = min(request.limits.connectTimeout, request.limits.timeout)
      return UpstreamError(
        .connectTimeout,
        title: "The upstream can't be reached",
        detail: "\(who) did not accept a connection within \(limit.text)",
        mayHaveArrived: false
      )
    }
    let received = size(CURLINFO_SIZE_DOWNLOAD_T)
    let limit = request.limits.timeout.text
    return UpstreamError(
      .timeout,
      title: "The upstream is too slow",
      detail: size(CURLINFO_STARTTRANSFER_TIME_T) == 0
        ? "\(what) was not answered within \(limit)"
        : "\(what) was not complete within \(limit): \(received) bytes received"
    )
  }

  private func interruption(_ code: CURLcode, _ what: String) -> UpstreamError {
    let received = size(CURLINFO_SIZE_DOWNLOAD_T)
    let announced = size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    let detail =
      if code == CURLE_GOT_NOTHING || size(CURLINFO_STARTTRANSFER_TIME_T) == 0 {
        "\(what): the connection was closed without an answer"
      } else if announced > 0 {
        "\(what): \(received) of \(announced) bytes came before the connection ended"
      } else {
        "\(what): the connection ended after \(received) bytes, before the answer did"
      }
    return UpstreamError(.interrupted, title: "The upstream broke off", detail: detail)
  }

  func stallFailure() -> UpstreamError {
    let limit = request.limits.stallTimeout.text
    guard size(CURLINFO_PRETRANSFER_TIME_T) > 0 else {
      return UpstreamError(
        .connectTimeout,
        title: "The upstream can't be reached",
        detail: "\(request.url.origin) did not accept a connection within \(limit)",
        mayHaveArrived: false
      )
    }
    return UpstreamError(
      .stalled,
      title: "The upstream is too slow",
      detail: "\(request.method) \(request.url): nothing came for \(limit), after \(body.count) bytes"
    )
  }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }

  func size(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return ccurl_get_size(easy, info, &value) == CURLE_OK ? Int(value) : 0
  }
}

extension Duration {
  /// For messages: `10 s`, `250 ms`.
  var text: String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
