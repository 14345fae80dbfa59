import Definitions
import Expressions
import JSON

enum LocalKeys: ObjectKeys {
  static let name = "Local"
  static let noun = "a local source"

  static let items = Key(
    "items",
    .list(of: .item, noun: "the list of items"),
    "The first items: JSON objects."
  )
  static let defaultItem = Key(
    "default",
    .defaultItem,
    "The default item: an added item gets the members that it lacks. `$caller` is the caller who adds it: "
      + "`{owner: \"${$caller.claims.sub}\"}`."
  )

  static let fields = Key(
    "fields",
    .map(of: .field, noun: "the fields", names: .any),
    "The members that edits may write, by dotted names (`address.street`), with the types of cell fields: others are 422. "
      + "A `date` may be without a time; a `url` is http, https, mailto, tel or a path. Without it: anything."
  )

  static let keys = [items.description, defaultItem.description, fields.description]

  static func value(of object: ObjectReader) -> LocalDefinition? {
    var local = LocalDefinition()
    object.set(&local.items, from: items)
    if let item = object[defaultItem] { (local.defaultItem, local.defaultTemplate) = (item.constant, item.template) }
    guard object.has(fields), let declared = object[fields], check(declared, object.reading) else { return local }
    let known = ItemFields(
      declared.map { .init(name: $0.name.value, type: $0.value.type, isOptional: $0.value.isOptional) }
    )
    local.fields = known
    check(local, known, of: object)
    return local
  }

  /// In parts of a dotted name.
  private static let maximumDepth = 16

  /// Returns whether the names can be those of members.
  private static func check(_ fields: [NamedEntry<DeclaredField>], _ reading: Reading) -> Bool {
    var isFine = true
    for (name, _) in fields {
      let path = ItemFields.path(of: name.value)
      if path.contains("") {
        reading.error(at: name.place, "\(excerpt(name.value)) names no member", "write for example `address.street`")
        isFine = false
      } else if path.count > maximumDepth {
        reading.error(at: name.place, "\(excerpt(name.value)) is too deep", "at most \(maximumDepth) parts")
        isFine = false
      }
      let around = fields.first { other, field in
        ![.object, .any].contains(field.type) && name.value.hasPrefix(other.value + ".")
      }
      if let around {
        reading.error(
          at: name.place,
          "\(excerpt(name.value)) is a part of '\(around.name.value)', which is \(around.value.type.noun)",
          "leave '\(around.name.value)' out, or write `\(around.name.value): object`"
        )
        isFine = false
      }
    }
    return isFine
  }

  /// Checks the members that the service itself adds: edits may write them; items that it begins with stay as they are.
  private static func check(_ local: LocalDefinition, _ known: ItemFields, of object: ObjectReader) {
    // The client adds missing members; a member that is no field is the service's alone to set.
    let faults = known.faults(writing: local.defaultItem, making: local.defaultItem, by: .placement(of: .object([])))
    for fault in faults {
      object.reading.error(
        at: object.place(of: defaultItem),
        "the member '\(fault.name)' of 'default' can't be written: it \(fault.reason)",
        "give it such a value, or another type under `fields`"
      )
    }
    for (number, item) in local.items.enumerated() {
      guard let fault = known.faults(writing: item, making: item, by: .whole).first else { continue }
      object.reading.warning(
        at: object.place(of: items),
        "item \(number + 1) of 'items' does not match 'fields': `\(fault.name)` \(fault.reason)",
        "it is kept as it is until an edit writes that member"
      )
    }
  }
}

/// The members that an added item gets that it lacks.
struct DefaultItem: Sendable {
  /// The members that depend on nobody.
  var constant: JSONValue
  /// All of them, where some read who adds the item.
  var template: Template?
}

extension ValueReader where Value == DefaultItem {
  static let defaultItem = ValueReader(.map(.anything)) { node, reading in
    guard let item = ValueReader<JSONValue>.item.read(node, reading) else { return nil }
    guard item.hasExpressions else { return DefaultItem(constant: item, template: nil) }
    guard let template = reading.template(node), case .object(let members) = item else { return nil }
    return DefaultItem(constant: .object(members.filter { !$0.value.hasExpressions }), template: template)
  }
}

extension JSONValue {
  fileprivate var hasExpressions: Bool {
    switch self {
    case .null, .bool, .integer, .unsigned, .double: false
    case .string(let text): text.contains("${")
    case .array(let elements): elements.contains(where: \.hasExpressions)
    case .object(let members): members.contains { $0.value.hasExpressions }
    }
  }
}
