/// A row as the service sent it: an identity, a cell model, and permissions.
///
/// It is a class, so copying a table of 10,000 rows copies 10,000 pointers. It is immutable, so it may be shared.
public final class TableRow: Sendable, Hashable {
  /// Unique in its table.
  public let id: String
  /// The kind of its cell, after fallbacks that the service has made.
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

  /// The user's permissions. Those that are absent are false.
  public var can: RowPermissions {
    let can = json["can"]
    return RowPermissions(
      edit: can?["edit"]?.boolean ?? false,
      move: can?["move"]?.boolean ?? false,
      select: can?["select"]?.boolean ?? false
    )
  }

  /// The row's actions, for swipes and a context menu.
  public var actions: [RowAction] { (json["actions"]?.elements ?? []).compactMap(RowAction.init) }

  /// The meaning of a tap, as `select` in the configuration has it: any JSON.
  public var select: JSONText? { json["select"] }

  /// The meaning of a tap, decoded as a type of the app. Nil if the row has no `select`, or it does not fit.
  public func select<Selection: Decodable>(as type: Selection.Type) -> Selection? {
    select.flatMap { try? $0.decode(type) }
  }
}

public struct RowPermissions: Hashable, Sendable {
  public var edit: Bool
  public var move: Bool
  public var select: Bool
}

/// An action that a row offers.
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
