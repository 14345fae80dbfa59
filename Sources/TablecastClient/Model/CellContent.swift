import Foundation

/// The cells of an app. `tablecast generate swift` makes the type from the configuration's `cells`.
public protocol CellModel: Decodable, Hashable, Sendable {
  /// The value of `Accept-Cells`: `TableViewCellWithLabel, PollCell;v=2`. Nil asks for every cell as it is.
  static var acceptedCells: String? { get }
  /// Whether a cell of this kind can be decoded.
  static func decodes(cellIdentifier: String) -> Bool
  /// The fields of a cell of this kind that are of the type `url`, or lists of it.
  static func links(cellIdentifier: String) -> [String]
}

extension CellModel {
  public static func links(cellIdentifier: String) -> [String] { [] }
}

/// The content of a row, a header or a footer. Content that can't be read never affects the rest of the table.
public enum CellContent<Cell: CellModel>: Hashable, Sendable {
  case known(Cell)
  /// The fallback, because the app does not know the cell's kind or the cell is malformed.
  case fallback(Cell)
  /// The app knows the cell's kind, but the payload does not fit it.
  case malformed(reason: String)
  /// The app does not know the cell's kind, and there is no fallback. It is shown as a placeholder, and never dropped.
  case unknown(cellIdentifier: String)

  /// The cell to show, if there is one.
  public var cell: Cell? {
    switch self {
    case .known(let cell), .fallback(let cell): cell
    case .malformed, .unknown: nil
    }
  }

  /// Reads `{"cellIdentifier","payload","fallback"}`. O(bytes).
  public init(_ json: JSONText, as type: Cell.Type = Cell.self) {
    var problem: CellContent?
    var candidate = json
    // A chain of fallbacks ends with the text, which is finite.
    while true {
      let identifier = candidate["cellIdentifier"]?.string ?? ""
      if Cell.decodes(cellIdentifier: identifier) {
        do {
          let cell = try candidate.decode(Cell.self)
          if let field = candidate.unsafeLink(among: Cell.links(cellIdentifier: identifier)) {
            problem = problem ?? .malformed(reason: "\(identifier): `payload.\(field)` is no link that may be opened")
          } else {
            self = problem == nil ? .known(cell) : .fallback(cell)
            return
          }
        } catch {
          problem = problem ?? .malformed(reason: reason(error, in: identifier))
        }
      } else {
        problem = problem ?? .unknown(cellIdentifier: identifier)
      }
      guard let fallback = candidate["fallback"] else { break }
      candidate = fallback
    }
    self = problem ?? .unknown(cellIdentifier: "")
  }
}

extension JSONText {
  /// The first of a payload's fields in which something else stands than what a person may be led to.
  fileprivate func unsafeLink(among fields: [String]) -> String? {
    guard !fields.isEmpty, let payload = self["payload"] else { return nil }
    return fields.first { field in
      guard let value = payload[field] else { return false }
      return !(value.string.map { [$0] } ?? value.elements.compactMap(\.string)).allSatisfy(\.isLink)
    }
  }
}

extension String {
  /// A URL that runs nothing where it is opened: http, https, mailto, tel, or a path. What browsers pass over within a scheme
  /// (`java\nscript:`) stands in no link.
  var isLink: Bool {
    guard !utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return false }
    let head = utf8.prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else { return true }
    return ["http", "https", "mailto", "tel"].contains(self[..<colon].lowercased())
  }
}

extension TableRow {
  /// The row's content. O(bytes). It is decoded when asked for, so a long table costs only the rows on the screen.
  public func content<Cell: CellModel>(as type: Cell.Type = Cell.self) -> CellContent<Cell> { CellContent(json) }
}

extension JSONText {
  /// The value, decoded as a type of the app.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}

/// `price: expected Double, in ProductCell`
private func reason(_ error: any Error, in cellIdentifier: String) -> String {
  func path(_ context: DecodingError.Context) -> String { context.codingPath.map(\.stringValue).joined(separator: ".") }
  switch error {
  case DecodingError.typeMismatch(let type, let context):
    return "\(cellIdentifier): `\(path(context))` is no \(type)"
  case DecodingError.valueNotFound(let type, let context):
    return "\(cellIdentifier): `\(path(context))` is null, and should be a \(type)"
  case DecodingError.keyNotFound(let key, let context):
    return "\(cellIdentifier): `\(path(context))` has no `\(key.stringValue)`"
  case DecodingError.dataCorrupted(let context):
    return "\(cellIdentifier): `\(path(context))`: \(context.debugDescription)"
  default: return "\(cellIdentifier): \(error)"
  }
}
