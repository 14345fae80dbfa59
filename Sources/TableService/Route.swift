import HTTPServer

/// What a request's path names. Parsed once, dispatched by an exhaustive switch.
enum Route: Equatable {
  case inspector
  case health
  case readiness
  case metrics
  case openAPI
  case cells
  case tables
  case changes
  case hook(source: String)
  case table(TableReference, TableRoute)

  enum TableRoute: Equatable {
    case snapshot
    case changes
    case stream
    case rows
    case row(String)
    case tap(String)
    case items
    case item(String)
    case move(String)
    case edits
    case refresh
  }

  /// The route of a path; nil where nothing is.
  ///
  /// - Parameters:
  ///   - path: its segments, percent-decoded.
  ///   - rawPath: as it was sent: a table's parameters are told apart before they are decoded.
  init?(path: [String], rawPath: String) {
    switch path {
    case []: self = .inspector
    case ["healthz"]: self = .health
    case ["readyz"]: self = .readiness
    case ["metrics"]: self = .metrics
    case ["v1", "openapi.json"]: self = .openAPI
    case ["v1", "cells"]: self = .cells
    case ["v1", "tables"]: self = .tables
    case ["v1", "changes"]: self = .changes
    case let path where path.count == 3 && path[0] == "v1" && path[1] == "hooks":
      self = .hook(source: path[2])
    case let path where path.count >= 3 && path[0] == "v1" && path[1] == "tables":
      let raw = rawPath.split(separator: "/", omittingEmptySubsequences: false)
      guard raw.count > 3, let reference = TableReference(segment: raw[3]),
        let route = TableRoute(segments: path.dropFirst(3))
      else { return nil }
      self = .table(reference, route)
    default: return nil
    }
  }

  /// The methods that the resource allows, for `Allow` (RFC 9110 §10.2.1).
  var methods: AllowedMethods {
    switch self {
    case .inspector, .health, .readiness, .metrics, .openAPI, .cells, .tables, .changes: .get
    case .hook: .post
    case .table(_, let route):
      switch route {
      case .snapshot, .changes, .stream, .rows, .row: .get
      case .item: [.get, .patch, .delete]
      case .tap, .items, .move, .edits, .refresh: .post
      }
    }
  }
}

extension Route.TableRoute {
  init?(segments: ArraySlice<String>) {
    switch Array(segments) {
    case []: self = .snapshot
    case ["changes"]: self = .changes
    case ["stream"]: self = .stream
    case ["rows"]: self = .rows
    case ["items"]: self = .items
    case ["edits"]: self = .edits
    case ["refresh"]: self = .refresh
    case let path where path.count == 2 && (path[0] == "rows" || path[0] == "items"):
      let id = path[1]
      guard !id.isEmpty else { return nil }
      self = path[0] == "rows" ? .row(id) : .item(id)
    case let path where path.count == 3:
      let id = path[1]
      guard !id.isEmpty else { return nil }
      switch (path[0], path[2]) {
      case ("rows", "tap"): self = .tap(id)
      case ("items", "move"): self = .move(id)
      default: return nil
      }
    default: return nil
    }
  }
}

/// RFC 3986 §2.1; nil where an escape is malformed or the bytes are no UTF-8.
func percentDecoded(_ text: some StringProtocol) -> String? {
  guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var iterator = text.utf8.makeIterator()
  while let byte = iterator.next() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else { return nil }
    bytes.append(high << 4 | low)
  }
  return String(validating: bytes, as: UTF8.self)
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Everything but RFC 3986's unreserved characters escaped: safe as a segment and as a query value.
func percentEncoded(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
  }
  return result
}
