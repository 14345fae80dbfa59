import Definitions
import Expressions

enum ActionKeys: ObjectKeys {
  static let name = "Action"
  static let noun = "an action"

  struct Action: Sendable {
    var title: Template?
    var style: ActionDefinition.Style
    var condition: Expression?
    var effect: ActionDefinition.Effect
  }

  static let title = Key("title", .textTemplate, "The title that users see. Default: the name.")
  static let style: Key<ActionDefinition.Style> = Key(
    "style",
    .word,
    "`normal` (the default), or `destructive`: shown as irreversible."
  )
  static let when = Key("when", .expression, "Whether a row offers it. Default: every row does.")
  static let request = Key(
    "request",
    .object(EditRequestKeys.self),
    "The request to the upstream; the item's members, `$id`, `$edit` and `$params` are known. Default method: POST."
  )
  static let patch = Key(
    "patch",
    .payload,
    "A merge patch (RFC 7396) of an item that the service owns: `{done: \"${!done}\"}`."
  )

  static let keys = [
    title.description, style.description, when.description, request.description, patch.description,
  ]

  static func value(of object: ObjectReader) -> Action? {
    let effects = object.present(of: [request.name, patch.name])
    if effects.count != 1 {
      object.reading.error(
        at: object.place,
        effects.isEmpty ? "an action that does nothing" : "an action with 'request' and 'patch'",
        effects.isEmpty ? "write `request: {url: …}`, or `patch: {done: true}`" : "keep one of them"
      )
    }
    let (title, style, condition) = (object[title], object[style], object[when])
    let sent = object[request]?.definition(method: "POST")
    let change = object[patch]?.template
    guard effects.count == 1, !object.has(when) || condition != nil,
      let effect = sent.map(ActionDefinition.Effect.request) ?? change.map(ActionDefinition.Effect.patch)
    else { return nil }
    return Action(title: title, style: style ?? .normal, condition: condition, effect: effect)
  }
}
