import HTTPServer

/// The page at `/`: a client of the protocol in some hundred lines, for a look at the tables as they change.
enum Inspector {
  static let page = Representation(
    body: PackageResources.inspector_html,
    contentType: "text/html; charset=utf-8",
    entityTag: contentTag(PackageResources.inspector_html),
    cacheControl: "no-cache",
    fields: [
      HeaderField(
        .contentSecurityPolicy,
        "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
      )
    ]
  )
}

/// `/v1/openapi.json`
enum OpenAPI {
  static let document = Representation(
    body: PackageResources.openapi_json,
    contentType: "application/json",
    entityTag: contentTag(PackageResources.openapi_json),
    cacheControl: "no-cache"
  )
}

extension TableService {
  func inspector(_ call: Call) -> Reply { .response(Inspector.page.response(to: call.request)) }
  func openAPI(_ call: Call) -> Reply { .response(OpenAPI.document.response(to: call.request)) }
}
