import HTTPServer

/// `/v1/openapi.json`
struct OpenAPI: Resource {
  let service: TableService

  static let document = Representation(
    body: PackageResources.openapi_json,
    contentType: "application/json",
    entityTag: contentTag(PackageResources.openapi_json),
    cacheControl: "no-cache"
  )

  func answer(_ call: Call) -> Reply { .response(Self.document.response(to: call.request)) }
}
