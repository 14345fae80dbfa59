import HTTPServer

/// The console at `/`: one page of plain HTML, CSS and modules, built into the program, and the client for JavaScript
/// that it stands on, which any other page may import too.
///
/// Nothing of it runs but these files, and nothing is asked of another host but pictures: of those the page asks for the
/// data's own, and for others when its user says so.
enum Console {
  private static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: https: http:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """

  /// No other page embeds it, and no address of it, which tells tables and rows, is told to hosts of pictures.
  private static let own = [
    HeaderField(.referrerPolicy, "no-referrer"), HeaderField(.crossOriginResourcePolicy, "same-origin"),
  ]

  static let page = file(PackageResources.index_html, "text/html; charset=utf-8", own)

  /// The files below `/console/`, by their names.
  static let files: [String: Representation] = [
    "audit.js": script(PackageResources.audit_js, own),
    "bind.js": script(PackageResources.bind_js, own),
    "catalog.js": script(PackageResources.catalog_js, own),
    "cells.js": script(PackageResources.cells_js, own),
    "dom.js": script(PackageResources.dom_js, own),
    "dragging.js": script(PackageResources.dragging_js, own),
    "editing.js": script(PackageResources.editing_js, own),
    "export.js": script(PackageResources.export_js, own),
    "filtered.js": script(PackageResources.filtered_js, own),
    "forms.js": script(PackageResources.forms_js, own),
    "main.js": script(PackageResources.main_js, own),
    "overview.js": script(PackageResources.overview_js, own),
    "pictures.js": script(PackageResources.pictures_js, own),
    "row.js": script(PackageResources.row_js, own),
    "search.js": script(PackageResources.search_js, own),
    "service.js": script(PackageResources.service_js, own),
    "sources.js": script(PackageResources.sources_js, own),
    "skipped.js": script(PackageResources.skipped_js, own),
    "style.css": file(PackageResources.style_css, "text/css; charset=utf-8", own),
    "table.js": script(PackageResources.table_js, own),
    "tabs.js": script(PackageResources.tabs_js, own),
    "timeline.js": script(PackageResources.timeline_js, own),
  ]

  /// `/v1/client.js`: asked for anew each time; under its tag, `/v1/client.js?v=TAG`, the same for ever.
  static let client = script(PackageResources.tablecast_js)
  static let clientForEver = script(PackageResources.tablecast_js, cacheControl: "public, max-age=31536000, immutable")

  private static func script(
    _ bytes: [UInt8],
    _ fields: [HeaderField] = [],
    cacheControl: String = "no-cache"
  ) -> Representation {
    file(bytes, "text/javascript; charset=utf-8", fields, cacheControl: cacheControl)
  }

  private static func file(
    _ bytes: [UInt8],
    _ contentType: String,
    _ fields: [HeaderField] = [],
    cacheControl: String = "no-cache"
  ) -> Representation {
    Representation(
      body: bytes,
      contentType: contentType,
      entityTag: contentTag(bytes),
      cacheControl: cacheControl,
      fields: [HeaderField(.contentSecurityPolicy, policy)] + fields
    )
  }
}

/// The console's files, and the client's.
struct ConsoleFiles: Resource {
  let service: TableService

  func console(_ call: Call) -> Reply { .response(Console.page.response(to: call.request)) }

  func consoleFile(_ call: Call) throws(ServiceError) -> Reply {
    guard let file = Console.files[call.match["file"]] else {
      throw .notFound("The console has no file `\(call.match["file"])`.")
    }
    return .response(file.response(to: call.request))
  }

  func client(_ call: Call) -> Reply {
    let isNamed = call.request.query.first("v") == Console.client.entityTag
    return .response((isNamed ? Console.clientForEver : Console.client).response(to: call.request))
  }
}
