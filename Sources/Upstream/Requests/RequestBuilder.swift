internal import Definitions
internal import Expressions
internal import JSON

/// Makes requests from templates. What comes from callers and items is percent-encoded into the URL, and may not
/// change its scheme, host, port or the number of its path's segments, nor bring a segment `.` or `..` into its path,
/// decoded or not.
struct RequestBuilder {
  let definition: UpstreamDefinition
  let context: FetchContext

  var limits: TransferLimits {
    TransferLimits(
      connectTimeout: definition.connectTimeout,
      timeout: definition.timeout,
      stallTimeout: definition.stallTimeout,
      maxBodyBytes: definition.maxBytes,
      maxRedirects: definition.maxRedirects,
      allowPrivateRedirects: definition.allowPrivateRedirects,
      allowPrivate: definition.allowPrivate
    )
  }

  var security: TransferSecurity {
    TransferSecurity(
      caBundle: definition.caBundle,
      clientCertificate: definition.clientCertificate,
      clientKey: definition.clientKey
    )
  }

  /// The request for a page of the source.
  ///
  /// - Parameters:
  ///   - cursor: `$cursor`; null for the first page.
  ///   - since: `$since`; null where everything is asked for.
  func page(cursor: JSONValue, since: JSONValue = .null) throws(UpstreamError) -> TransferRequest {
    var scope = context.scope
    (scope.cursor, scope.since) = (Value(cursor), Value(since))
    var url = try url(definition.url, in: scope, neutral: scope.neutral(), origin: nil)
    for (name, template) in definition.query {
      guard let value = try text(template, in: scope, "query \(name)") else { continue }
      guard let longer = url.appendingQuery(name, value) else { throw .unusable("query \(name) makes no valid URL") }
      url = longer
    }
    for (name, template) in definition.since?.query ?? [] where since != .null {
      guard let value = try text(template, in: scope, "since.query \(name)") else { continue }
      guard let longer = url.replacingQuery(name, with: value) else {
        throw .unusable("since.query \(name) makes no valid URL")
      }
      url = longer
    }
    return TransferRequest(
      method: definition.method,
      url: url,
      headers: try headers(definition.headers, in: scope, body: definition.body, accept: .accept(definition.format)),
      body: try body(definition.body, in: scope),
      limits: limits,
      security: security
    )
  }

  /// The request for one element of the list.
  func each(_ template: Template, item: Value, index: Int, list: TransferRequest) throws(UpstreamError)
    -> TransferRequest
  {
    var scope = context.scope
    scope.item = item
    scope.index = index
    var request = list
    request.method = "GET"
    request.body = nil
    request.headers.removeAll { $0.isNamed("Content-Type") }
    request.url = try url(template, in: scope, neutral: scope.neutral(), origin: list.url.origin)
    if request.url.origin != list.url.origin, !list.url.origin.mayShareSecrets(with: request.url.origin) {
      request.headers.removeAll { !$0.isNamed("Accept") }
      request.security = security.withoutClient
    }
    return request
  }

  /// Made twice: with the values, and with harmless ones in their place. Where the two differ in more than the
  /// text of segments, the values would change where the request goes.
  ///
  /// - Parameter origin: where a URL may lead whose beginning is itself a value.
  func url(
    _ template: Template,
    in scope: Scope,
    neutral: Scope,
    origin: UpstreamURL.Origin?
  ) throws(UpstreamError) -> UpstreamURL {
    // Expressions that compute can't do so with a harmless value: another one then stands for their result.
    let expected = (try? template.urlPieces(in: neutral, standIn: "x")).flatMap { UpstreamURL($0.text) }
    let pieces = try urlPieces(template, in: scope)
    guard let pieces, let url = UpstreamURL(pieces.text) else {
      let why = "its text is no http or https URL"
      throw expected == nil ? .unusable(why) : .impossible(why)
    }
    if let culprit = DotSegments.culprit(in: pieces) {
      throw .impossible(
        "`\(culprit.text)`, which its path names, has a segment `.` or `..`, "
          + "which upstreams may take for the way to another path: nothing is sent"
      )
    }
    guard let expected else {
      guard let origin, origin == url.origin else { throw .impossible("a value from outside would choose its host") }
      return url
    }
    guard url.origin == expected.origin else { throw .impossible("a value from outside would change its host") }
    guard url.path.count(of: "/") == expected.path.count(of: "/") else {
      throw .impossible("a value would change the depth of its path")
    }
    return url
  }

  private func urlPieces(_ template: Template, in scope: Scope) throws(UpstreamError) -> [Template.URLPiece]? {
    do { return try template.urlPieces(in: scope) } catch { throw .unusable("\(error.message)") }
  }

  private func text(_ template: Template, in scope: Scope, _ what: String) throws(UpstreamError) -> String? {
    do { return try template.text(in: scope) } catch { throw .unusable("\(what): \(error.message)") }
  }

  /// Configured headers; the caller's own over them, and what JSON APIs expect where nothing is said.
  func headers(
    _ templates: [(name: String, value: Template)],
    in scope: Scope,
    body: Template?,
    accept: TransferField = .acceptJSON()
  ) throws(UpstreamError) -> [TransferField] {
    var fields: [TransferField] = []
    for (name, template) in templates where !context.forwarded.contains(where: { $0.isNamed(name) }) {
      guard let value = try text(template, in: scope, "header \(name)") else { continue }
      guard let field = TransferField(name, value) else {
        let why = "header \(name) has a character that is not allowed"
        let plain = try? template.text(in: scope.neutral())
        throw plain.flatMap { TransferField(name, $0) } == nil ? .unusable(why) : .impossible(why)
      }
      fields.append(field)
    }
    fields += context.forwarded
    if fields.first(named: "Accept") == nil { fields.append(accept) }
    if body != nil, fields.first(named: "Content-Type") == nil { fields.append(.contentTypeJSON()) }
    return fields
  }

  /// `application/x-www-form-urlencoded` (WHATWG URL section 5.2): a member that is null is left out, a list is sent as
  /// several of one name, an object as JSON.
  func form(_ template: Template?, in scope: Scope) throws(UpstreamError) -> [UInt8]? {
    guard let template else { return nil }
    let members: [Value.Member]
    do { members = try template.evaluate(in: scope).members ?? [] } catch { throw .unusable("form: \(error.message)") }
    var pairs: [String] = []
    for member in members where !member.value.isNull {
      for value in member.value.elements ?? [member.value] where !value.isNull {
        let text = value.text ?? String(decoding: JSONValue(value).bytes, as: UTF8.self)
        pairs.append("\(PercentEncoding.encode(member.name))=\(PercentEncoding.encode(text))")
      }
    }
    return Array(pairs.joined(separator: "&").utf8)
  }

  /// JSON, but for a template that is written as a text, such as `a=${$edit.a}`, which is sent as it is. Of one whole
  /// `${…}` a text is JSON too: who edits chooses what `${$edit}` is, but not which bytes are sent.
  func body(_ template: Template?, in scope: Scope) throws(UpstreamError) -> [UInt8]? {
    guard let template else { return nil }
    do {
      let value = try template.evaluate(in: scope)
      if template.isText, let text = value.string { return Array(text.utf8) }
      var writer = JSONWriter()
      value.write(to: &writer)
      return writer.bytes
    } catch {
      throw .unusable("body: \(error.message)")
    }
  }
}

extension Scope {
  /// The same, with a harmless value wherever one comes from outside.
  func neutral() -> Scope {
    var scope = self
    scope.parameters = parameters.mapValues { _ in "x" }
    scope.item = item.neutral
    scope.id = id.neutral
    scope.edit = edit.neutral
    scope.place = place.neutral
    scope.cursor = cursor.neutral
    (scope.since, scope.parent) = (since.neutral, parent.neutral)
    scope.caller = caller.neutral
    scope.lookups = lookups.mapValues(\.neutral)
    return scope
  }
}

extension Value {
  fileprivate var neutral: Value {
    switch kind {
    case .null, .boolean: self
    case .number, .string: .string("x")
    case .array: .array((elements ?? []).map(\.neutral))
    case .object: .object((members ?? []).map { Member(name: $0.name, value: $0.value.neutral) })
    }
  }
}

extension UpstreamURL {
  func appendingQuery(_ name: String, _ value: String) -> UpstreamURL? {
    let pair = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
    return UpstreamURL(absolute + (absolute.contains("?") ? "&" : "?") + pair)
  }
}

extension [Template.URLPiece] {
  fileprivate var text: String { reduce(into: "") { $0 += $1.text } }
}

extension String {
  fileprivate func count(of character: Character) -> Int { reduce(0) { $0 + ($1 == character ? 1 : 0) } }
}
