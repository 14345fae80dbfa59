internal import CCurl
internal import Dispatch
internal import Glibc

/// One hop of a transfer: a request and its response on one easy handle. Touched on the client's queue alone.
final class TransferHop {
  /// The violation that one of the callbacks found; libcurl itself then only says that a callback stopped it.
  enum Violation { case bodyTooLarge, headersTooLarge, privateAddress(String) }

  let easy: UnsafeMutableRawPointer
  let request: TransferRequest
  /// The treatment of addresses inside.
  enum PrivateAddresses { case allowed, refused, refusedToRedirects }

  let privateAddresses: PrivateAddresses
  private(set) var headers: [TransferField] = []
  private(set) var body: [UInt8] = []
  private(set) var violation: Violation?
  /// When something was last received; the start at first.
  private(set) var lastProgress = DispatchTime.now()
  private var headerBytes = 0
  private var headerList: UnsafeMutablePointer<curl_slist>?
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// - Returns: nil where libcurl has no memory left.
  init?(_ request: TransferRequest, timeout: Duration, privateAddresses: PrivateAddresses) {
    guard let easy = curl_easy_init() else {
      errorText.deallocate()
      return nil
    }
    self.easy = easy
    self.request = request
    self.privateAddresses = privateAddresses
    errorText.pointee = 0
    configure(timeout: timeout)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  var errorDetail: String { String(cString: errorText) }

  func takeBody() -> [UInt8] {
    defer { body = [] }
    return body
  }

  private func configure(timeout: Duration) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    ccurl_set_string(easy, CURLOPT_USERAGENT, "tablecast")
    ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0)
    ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    ccurl_set_string(easy, CURLOPT_URL, request.url.absolute)
    ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
    ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, request.limits.connectTimeout.positiveMilliseconds)
    ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, timeout.positiveMilliseconds)
    ccurl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.limits.maxBodyBytes))
    ccurl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
    ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 1 << 17)
    if request.url.origin.isSecure {
      ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
      ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1)
    } else {
      ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    }
    if let path = request.security.caBundle {
      ccurl_set_string(easy, CURLOPT_CAINFO, path)
      ccurl_set_string(easy, CURLOPT_CAPATH, nil)  // the system's, which would be trusted beside it
    }
    if let path = request.security.clientCertificate { ccurl_set_string(easy, CURLOPT_SSLCERT, path) }
    if let path = request.security.clientKey { ccurl_set_string(easy, CURLOPT_SSLKEY, path) }
    if request.isSentOnce {
      ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
      // Else each edit would leave another one open, for two minutes.
      ccurl_set_long(easy, CURLOPT_FORBID_REUSE, 1)
    }
    configureMethod()
    configureHeaders()
    configureCallbacks(context)
  }

  private func configureMethod() {
    if let body = request.body {
      ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      _ = body.withUnsafeBytes { bytes in
        // Copied by libcurl; of no bytes it wants an address all the same.
        if let base = bytes.baseAddress, !bytes.isEmpty {
          return ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base))
        } else {
          return ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
        }
      }
    } else if request.method == "HEAD" {
      ccurl_set_long(easy, CURLOPT_NOBODY, 1)
    } else if request.method == "POST" {
      ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
      ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
    }
    ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
  }

  private func configureHeaders() {
    func append(_ line: String) { headerList = curl_slist_append(headerList, line) ?? headerList }
    for field in request.headers {
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    // For a POST without a body libcurl would say that it is a form.
    if request.body == nil, !request.headers.contains(where: { $0.isNamed("Content-Type") }) { append("Content-Type:") }
    // Waiting for a "100 Continue" costs up to a second with upstreams that do not know it.
    append("Expect:")
    ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
  }

  private func configureCallbacks(_ context: UnsafeMutableRawPointer) {
    ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      return TransferHop.at(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      return TransferHop.at(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    guard privateAddresses != .allowed else { return }
    // The address that is connected to, not the name: a name can change its address between two looks.
    ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
    ccurl_set_opensocket(easy) { context, _, address in
      guard let context, let address else { return curl_socket_t(CURL_SOCKET_BAD) }
      return TransferHop.at(context).openSocket(address)
    }
    // A kept connection opens no socket, but passes here.
    ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    ccurl_set_prereq(easy) { context, address, _, _, _ in
      guard let context, let address else { return CURL_PREREQFUNC_ABORT }
      return TransferHop.at(context).permits(String(cString: address)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer) -> TransferHop {
    Unmanaged<TransferHop>.fromOpaque(context).takeUnretainedValue()
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastProgress = .now()
    guard bytes.count <= request.limits.maxBodyBytes - body.count else {
      violation = .bodyTooLarge
      return 0
    }
    if body.isEmpty { makeRoom() }
    body.append(contentsOf: bytes)
    return bytes.count
  }

  /// For a long body, as long as the upstream says, and what a parser wants behind it: growing step by step, it would at times
  /// be there twice. Memory that nothing comes for is never touched.
  private func makeRoom() {
    let said = size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    guard said > 1 << 16, headers.first(named: "Content-Encoding") == nil else { return }
    body.reserveCapacity(min(said, request.limits.maxBodyBytes) + 4096)
    body.useHugePages()
  }

  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastProgress = .now()
    headerBytes += bytes.count
    guard headerBytes <= request.limits.maxHeaderBytes else {
      violation = .headersTooLarge
      return 0
    }
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      headers.removeAll(keepingCapacity: true)  // of an interim response (RFC 9110 section 15.2)
    } else if body.isEmpty, let colon = line.firstIndex(of: ":"),
      let field = TransferField(String(line[..<colon]), String(line[line.index(after: colon)...]))
    {
      headers.append(field)  // with a body before it, it is a trailer: not used
    }
    return bytes.count
  }

  private func permits(_ address: String) -> Bool {
    guard NetworkAddress(address)?.isPrivate ?? true else { return true }
    violation = .privateAddress(address)
    return false
  }

  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let isPrivate = withUnsafePointer(to: &address.pointee.addr) { NetworkAddress($0)?.isPrivate ?? true }
    guard !isPrivate else {
      violation = .privateAddress(request.url.origin.host)
      return curl_socket_t(CURL_SOCKET_BAD)
    }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, kind, address.pointee.protocol)
  }
}

extension Duration {
  /// At least one, as zero means "no limit" to libcurl.
  var positiveMilliseconds: Int { Int(max(1, min(milliseconds, 1 << 31 - 1))) }

  /// Rounded down.
  var milliseconds: Int64 {
    components.seconds.multipliedReportingOverflow(by: 1000).overflow
      ? .max : components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
