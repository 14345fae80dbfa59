internal import CCurl

/// An absolute `http` or `https` URL, taken apart by libcurl's own parser, so that what is checked here is
/// what will be connected to.
///
/// Its description leaves out user, password, query and fragment: these may hold secrets.
public struct UpstreamURL: Hashable, Sendable, CustomStringConvertible {
  /// As libcurl writes it, without the fragment.
  public let absolute: String
  public let origin: Origin
  /// Percent-encoded; at least `/`.
  public let path: String

  /// Scheme, host and port: who is spoken to (RFC 6454 section 4).
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    /// In lower case; IPv6 addresses in brackets.
    public let host: String
    public let port: Int

    public var description: String {
      let isDefaultPort = port == (isSecure ? 443 : 80)
      return "\(isSecure ? "https" : "http")://\(host)\(isDefaultPort ? "" : ":\(port)")"
    }

    /// The same host by the same or by a safer way: what may be told a secret that `self` was told.
    package func mayShareSecrets(with other: Origin) -> Bool {
      self == other || (host == other.host && !isSecure && port == 80 && other.isSecure && other.port == 443)
    }
  }

  /// - Returns: nil for anything but an absolute URL of `http` or `https`.
  public init?(_ string: String) {
    guard !string.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
    self.init(string, relativeTo: nil, flags: 0)
  }

  /// A reference as redirects and pages have it (RFC 3986 section 5), relative to this URL. To the same origin it keeps
  /// user and password, even if it is absolute. Another origin is not told them.
  ///
  /// - Parameter keepsUser: false for what others are shown.
  /// - Returns: nil where it leads to anything but `http` or `https`.
  public func resolve(_ reference: String, keepsUser: Bool = true) -> UpstreamURL? {
    guard !reference.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return UpstreamURL(reference, relativeTo: self, keepsUser: keepsUser, flags: UInt32(CURLU_URLENCODE))
  }

  /// The same URL with `name=value` in its query instead of what stands there under that name.
  public func replacingQuery(_ name: String, with value: String) -> UpstreamURL? {
    let (base, query) = absolute.split(at: "?")
    let encodedName = PercentEncoding.encode(name)
    var pairs = (query ?? "").split(separator: "&").map(String.init)
      .filter { $0.split(at: "=").0 != encodedName && $0.split(at: "=").0 != name }
    pairs.append("\(encodedName)=\(PercentEncoding.encode(value))")
    return UpstreamURL("\(base)?\(pairs.joined(separator: "&"))")
  }

  public var description: String { origin.description + path }

  private init?(_ string: String, relativeTo base: UpstreamURL?, keepsUser: Bool = true, flags: UInt32) {
    guard let parser = curl_url() else { return nil }
    defer { curl_url_cleanup(parser) }

    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parser, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
      defer { curl_free(value) }
      return String(cString: value)
    }
    func set(_ part: CURLUPart, _ value: String?, _ flags: UInt32 = 0) -> Bool {
      guard let value else { return curl_url_set(parser, part, nil, flags) == CURLUE_OK }
      return curl_url_set(parser, part, value, flags) == CURLUE_OK
    }
    if let base { guard set(CURLUPART_URL, base.absolute) else { return nil } }
    if !keepsUser { guard set(CURLUPART_USER, nil), set(CURLUPART_PASSWORD, nil) else { return nil } }
    let (user, password) = (part(CURLUPART_USER), part(CURLUPART_PASSWORD))
    guard set(CURLUPART_URL, string, flags), set(CURLUPART_FRAGMENT, nil),
      let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https",
      let host = part(CURLUPART_HOST), !host.isEmpty,
      let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) }),
      let path = part(CURLUPART_PATH)
    else { return nil }
    let origin = Origin(isSecure: scheme == "https", host: host.lowercased(), port: port)
    // Libcurl keeps them for a relative reference alone.
    if let base, let user, part(CURLUPART_USER) == nil, base.origin.mayShareSecrets(with: origin) {
      guard set(CURLUPART_USER, user), set(CURLUPART_PASSWORD, password) else { return nil }
    }
    guard let absolute = part(CURLUPART_URL) else { return nil }
    (self.absolute, self.origin, self.path) = (absolute, origin, path)
  }
}

extension String {
  /// Returns the text before the first `separator`, and the text after it: nil where it has none.
  func split(at separator: Character) -> (String, String?) {
    guard let index = firstIndex(of: separator) else { return (self, nil) }
    return (String(self[..<index]), String(self[self.index(after: index)...]))
  }
}
