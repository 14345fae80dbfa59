import TableModel

/// The changes of a commit to items, objects and toggles, as a record: for the other processes that share the table.
struct EditRecord {
  var items: ItemChanges?
  /// With what the table is made of, as it is kept.
  var objects: [ObjectChange]
  var toggles: [ToggleChange]

  private static let format: UInt8 = 1

  var isEmpty: Bool { items == nil && objects.isEmpty && toggles.isEmpty }

  init(_ commit: Commit) {
    items = commit.items
    objects = commit.objects + (commit.inputs.map { [$0.object] } ?? [])
    toggles = commit.toggles
  }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.write(byte: Self.format)
    writer.write(byte: items == nil ? 0 : 1)
    if let items {
      writer.write(items.nextID)
      writer.write(count: items.deleted.count)
      for id in items.deleted { writer.write(id.rawValue) }
      writer.write(count: items.stored.count)
      for entry in items.stored {
        writer.write(entry.item.id.rawValue)
        writer.write(UInt64(bitPattern: entry.rank))
        writer.write(entry.item.body)
      }
    }
    writer.write(count: objects.count)
    for object in objects {
      writer.write(object.row)
      writer.write(byte: object.bytes == nil ? 0 : 1)
      if let bytes = object.bytes { writer.write(bytes) }
    }
    writer.write(count: toggles.count)
    for toggle in toggles {
      writer.write(toggle.row)
      writer.write(byte: toggle.isToggled ? 1 : 0)
    }
    // Behind all else, where a release before chosen identities doesn't look.
    let named = items?.stored.filter { $0.item.name != nil } ?? []
    if !named.isEmpty {
      writer.write(count: named.count)
      for entry in named {
        writer.write(entry.item.id.rawValue)
        writer.write(entry.item.name ?? "")
      }
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(RecordError) {
    var reader = RecordReader(bytes)
    guard try reader.byte() == Self.format else {
      throw RecordError(description: "an edit's record is of an unknown format")
    }
    if try reader.byte() == 1 { items = try reader.itemChanges() }
    objects = []
    for _ in 0..<(try reader.count(of: 2)) {
      let row = try reader.string()
      objects.append(ObjectChange(row: row, bytes: try reader.byte() == 1 ? try reader.content() : nil))
    }
    toggles = []
    for _ in 0..<(try reader.count(of: 2)) {
      toggles.append(ToggleChange(row: try reader.string(), isToggled: try reader.byte() == 1))
    }
    guard !reader.isAtEnd else { return }
    var names: [UInt64: String] = [:]
    for _ in 0..<(try reader.count(of: 2)) { names[try reader.number()] = try reader.string() }
    items?.name(names)
  }
}

extension RecordReader {
  fileprivate mutating func itemChanges() throws(RecordError) -> ItemChanges {
    var changes = ItemChanges(nextID: try number())
    for _ in 0..<(try count()) { changes.deleted.append(ItemID(rawValue: try number())) }
    for _ in 0..<(try count(of: 3)) {
      let id = ItemID(rawValue: try number())
      let rank = Int64(bitPattern: try number())
      changes.stored.append(StoredItem(item: Item(id: id, body: try content()), rank: rank))
    }
    return changes
  }
}

extension ItemChanges {
  /// - Parameter names: the identities that clients have chosen, by the items' numbers.
  fileprivate mutating func name(_ names: [UInt64: String]) {
    stored = stored.map { entry in
      guard let name = names[entry.item.id.rawValue] else { return entry }
      return StoredItem(item: Item(id: entry.item.id, name: name, body: entry.item.body), rank: entry.rank)
    }
  }
}
