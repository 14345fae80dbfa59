import Foundation
import HTTPServer
import JSON
import Testing

@testable import TableService

/// The OpenAPI document says what there is, and there is what it says.
@Suite struct RouteTests {
  private let document: JSONValue

  init() throws { document = try JSONValue(parsing: OpenAPI.document.body) }

  private var paths: [JSONValue.Member] {
    if case .object(let members)? = document["paths"] { members } else { [] }
  }

  /// Pages and probes are for people and machines that look nothing up.
  private static let undescribed: Set<String> = ["/", "/console/{file}", "/v1/openapi.json"]

  @Test func everyRouteIsDescribedWithItsMethods() {
    let described = Dictionary(uniqueKeysWithValues: paths.map { ($0.name, $0.value) })
    for route in Route.all where !Self.undescribed.contains(route.path) {
      for operation in route.operations {
        #expect(
          described[route.path]?[operation.method.name.lowercased()] != nil,
          "\(operation.method.name) \(route.path)"
        )
      }
    }
  }

  /// Where the process ends, the others may have been done: they get no answer.
  @Test func readingAndFetchingAloneMayBeRepeated() {
    for kind in RequestKind.all {
      let isRepeatable = ["GET", "any"].contains(kind.method) || kind.route.hasSuffix("}/refresh")
      #expect(kind.isRepeatable == isRepeatable, "\(kind.method) \(kind.route)")
    }
    #expect(RequestKind.all.contains { $0.method == "PATCH" && !$0.isRepeatable })
  }

  @Test func everyDescribedPathIsThere() {
    for path in paths {
      guard case .object(let operations) = path.value else { continue }
      let route = Route.all.first { $0.path == path.name }
      for operation in operations where operation.name != "parameters" {
        #expect(
          route?.operations.contains { $0.method.name.lowercased() == operation.name } ?? false,
          "\(operation.name) \(path.name)"
        )
      }
    }
  }

  @Test func everyQueryParameterIsDescribed() {
    let shared = document["components"]?["parameters"]
    for route in Route.all where !Self.undescribed.contains(route.path) {
      for operation in route.operations {
        let described = paths.first { $0.name == route.path }?.value[operation.method.name.lowercased()]
        var names: Set<String> = []
        if case .array(let parameters)? = described?["parameters"] {
          for parameter in parameters {
            var parameter = parameter
            if case .string(let reference)? = parameter["$ref"], let name = reference.split(separator: "/").last {
              parameter = shared?[String(name)] ?? parameter
            }
            if case .string(let name)? = parameter["name"], parameter["in"] == "query" { names.insert(name) }
          }
        }
        #expect(names == Set(operation.query), "\(operation.method.name) \(route.path)")
      }
    }
  }

  @Test func everyReferenceLeadsSomewhere() {
    var pending = [document]
    while let value = pending.popLast() {
      switch value {
      case .array(let elements): pending += elements
      case .object(let members):
        pending += members.map(\.value)
        if case .string(let reference)? = value["$ref"] {
          #expect(reference.hasPrefix("#/"))
          let target = reference.dropFirst(2).split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
          #expect(target != nil, "\(reference)")
        }
      default: break
      }
    }
  }

  /// A generated client knows what can go wrong, and what its body is called.
  @Test func everyOperationSaysWhatCanGoWrong() {
    for route in Route.all where !Self.undescribed.contains(route.path) && route.path.hasPrefix("/v1/") {
      let described = paths.first { $0.name == route.path }?.value
      for operation in route.operations {
        let described = described?[operation.method.name.lowercased()]
        let place: Comment = "\(operation.method.name) \(route.path)"
        var statuses = ["400", "default"]
        if route.path.contains("{table}") { statuses += ["401", "403", "404", "429", "503"] }
        switch operation.requirement {
        case .edit, .tap: statuses += ["409", "412", "422", "502", "504"]
        case .nothing, .capability, .inspection, .each: break
        }
        for status in statuses { #expect(described?["responses"]?[status] != nil, "\(status) of \(place)") }
        if case .object(let types)? = described?["requestBody"]?["content"] {
          for type in types { #expect(type.value["schema"]?["$ref"] != nil, place) }
        }
      }
    }
  }
}
