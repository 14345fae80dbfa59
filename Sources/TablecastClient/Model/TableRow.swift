/// A row as it came: an identity, a cell model, permissions.
///
/// A reference, so that a table of 10,000 rows is copied as 10,000 pointers; immutable, so that it may be shared.
public final class TableRow: Sendable, Hashable {
  /// Unique in its table.
  public let id: String
  /// The kind of cell that shows it, here: after fallbacks that the service made.
  public let cellIdentifier: String
  /// The whole row, byte for byte as the service sent it.
  public let json: JSONText

  private init(_ identifiers: (row: String, cell: String), _ json: JSONText) {
    (id, cellIdentifier, self.json) = (identifiers.row, identifiers.cell, json)
  }

  /// - Throws: `MalformedReply` where it has no `id` or no `cellIdentifier`.
  convenience init(_ json: JSONText) throws { self.init(try json.read(Self.identifiers), json.detached) }

  convenience init(_ reader: inout JSONReader) throws {
    let start = reader.position
    let identifiers = try Self.identifiers(&reader)
    self.init(identifiers, reader.json(from: start))
  }

  private static func identifiers(_ reader: inout JSONReader) throws -> (row: String, cell: String) {
    let start = reader.position
    var (id, cellIdentifier): (String?, String?)
    if reader.enterObject() {
      while let name = reader.nextName() {
        switch name {
        case "id" where id == nil: id = reader.string()
        case "cellIdentifier" where cellIdentifier == nil: cellIdentifier = reader.string()
        default: continue
        }
      }
    }
    guard let id, let cellIdentifier else {
      let text = reader.json(from: start).text.prefix(80)
      throw MalformedReply("a row needs `id` and `cellIdentifier`, both texts: \(text)")
    }
    return (id, cellIdentifier)
  }

  public static func == (one: TableRow, other: TableRow) -> Bool { one === other || one.json == other.json }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// What the user may do. Absent permissions are none.
  public var can: RowPermissions {
    let can = json["can"]
    return RowPermissions(
      edit: can?["edit"]?.boolean ?? false,
      move: can?["move"]?.boolean ?? false,
      select: can?["select"]?.boolean ?? false
    )
  }

  /// What the row offers beside a tap: swipe actions, a context menu.
  public var actions: [RowAction] { (json["actions"]?.elements ?? []).compactMap(RowAction.init) }

  /// What a tap is for, as the configuration says it: any JSON.
  public var select: JSONText? { json["select"] }

  /// What a tap is for, as a type of the app's: nil where the row has no `select`, or one of another shape.
  public func select<Selection: Decodable>(as type: Selection.Type) -> Selection? {
    select.flatMap { try? $0.decode(type) }
  }
}

public struct RowPermissions: Hashable, Sendable {
  public var edit: Bool
  public var move: Bool
  public var select: Bool
}

/// What a row offers to do.
public struct RowAction: Hashable, Sendable, Identifiable {
  public var id: String
  public var title: String
  public var isDestructive: Bool

  init?(_ json: JSONText) {
    guard let id = json["id"]?.string else { return nil }
    self.id = id
    title = json["title"]?.string ?? id
    isDestructive = json["style"]?.string == "destructive"
  }
}
