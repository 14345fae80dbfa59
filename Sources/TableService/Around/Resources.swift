import HTTPServer

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
  func openAPI(_ call: Call) -> Reply { .response(OpenAPI.document.response(to: call.request)) }
}
