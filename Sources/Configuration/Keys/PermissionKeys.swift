import Definitions
import Expressions

enum PermissionKeys: ObjectKeys {
  static let name = "Permissions"
  static let noun = "the permissions"

  static let edit = Key(
    "edit",
    .rule,
    "Changed and deleted: `true`, `false` or an expression of the item. Default: where somebody takes the edit, the "
      + "service itself or an upstream by `edits`."
  )
  static let move = Key("move", .rule, "Moved to another place. Default: as `edit`.")
  static let select = Key("select", .rule, "Tapped. Default: true.")

  static let keys = [edit.description, move.description, select.description]

  static func value(of object: ObjectReader) -> PermissionsDefinition? {
    var permissions = PermissionsDefinition()
    object.set(&permissions.edit, from: edit)
    object.set(&permissions.move, from: move)
    object.set(&permissions.select, from: select)
    return permissions
  }
}

extension ValueReader where Value == PermissionsDefinition.Rule {
  static let rule = ValueReader.either(
    ValueReader<Bool>.boolean.map(PermissionsDefinition.Rule.constant),
    when: { if case .boolean = $0.scalar?.resolved { true } else { false } },
    or: ValueReader<Expression>.expression.map(PermissionsDefinition.Rule.expression)
  )
}
