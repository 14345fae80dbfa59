import Definitions
import Expressions
import TableModel

enum AnimationKeys: ObjectKeys {
  static let name = "Animation"
  static let noun = "the animation"

  static let insert: Key<RowAnimation> = Key("insert", .word, "Rows and sections that come. Default: automatic.")
  static let delete: Key<RowAnimation> = Key("delete", .word, "Rows and sections that go. Default: automatic.")
  static let reload: Key<RowAnimation> = Key("reload", .word, "Rows whose cell is exchanged. Default: automatic.")

  static let keys = [insert.description, delete.description, reload.description]

  static func value(of object: ObjectReader) -> AnimationConfiguration? {
    var animation = AnimationConfiguration()
    object.set(&animation.insert, from: insert)
    object.set(&animation.delete, from: delete)
    object.set(&animation.reload, from: reload)
    return animation
  }
}

enum PermissionKeys: ObjectKeys {
  static let name = "Permissions"
  static let noun = "the permissions"

  static let edit = Key(
    "edit",
    .rule,
    "Changed and deleted: `true`, `false` or an expression of the item. Default: false."
  )
  static let move = Key("move", .rule, "Moved to another place. Default: false.")
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

enum ParameterKeys: ObjectKeys {
  static let name = "Parameter"
  static let noun = "a parameter"

  struct Parameter: Sendable {
    var pattern = #"[A-Za-z0-9._~-]{1,64}"#
    var defaultValue: String?
  }

  static let pattern = Key(
    "pattern",
    .pattern,
    "A regular expression that a value matches as a whole. Default: `[A-Za-z0-9._~-]{1,64}`."
  )
  static let defaultValue = Key(
    "default",
    .plainText("a value", example: "swift"),
    "Taken where an address names no value; without it, 400."
  )

  static let keys = [pattern.description, defaultValue.description]

  static func value(of object: ObjectReader) -> Parameter? {
    var parameter = Parameter()
    object.set(&parameter.pattern, from: pattern)
    parameter.defaultValue = object[defaultValue]
    if let value = parameter.defaultValue, let expression = try? Regex(parameter.pattern),
      (try? expression.wholeMatch(in: value)) == nil
    {
      object.reading.error(
        at: object.place(of: defaultValue),
        "the default \(excerpt(value)) does not match the pattern",
        "write one that matches \(parameter.pattern)"
      )
    }
    return parameter
  }
}

extension ValueReader where Value == ParameterKeys.Parameter {
  /// A mapping, or nothing: a parameter with the default pattern.
  static let parameter = ValueReader.either(
    ValueReader(.null) { _, _ in ParameterKeys.Parameter() },
    when: \.isNull,
    or: .object(ParameterKeys.self)
  )
}

extension ValueReader where Value == String {
  static let pattern = ValueReader(
    .text(description: "a regular expression", pattern: nil, examples: ["[a-z0-9-]+"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a regular expression", example: "[a-z0-9-]+").read(node, reading) else {
      return nil
    }
    do {
      _ = try Regex(text)
      return text
    } catch {
      reading.error(
        at: node.place,
        "\(excerpt(text)) is no regular expression: \(error)",
        "write for example `[a-z0-9-]+`"
      )
      return nil
    }
  }

  /// A header of the caller that may be sent on: not one that belongs to the connection (RFC 9110 §7.6.1) or to the
  /// message's framing.
  static let headerName = ValueReader(
    .text(description: "a header's name", pattern: nil, examples: ["Authorization", "Accept-Language"])
  ) { node, reading in
    guard let text = ValueReader.plainText("a header's name", example: "Accept-Language").read(node, reading) else {
      return nil
    }
    NameRule.header.check(Located(value: text, place: node.place), reading)
    let refused = [
      "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
      "trailer", "transfer-encoding", "upgrade",
    ]
    if refused.contains(text.lowercased()) {
      reading.error(
        at: node.place,
        "the header '\(text)' belongs to one connection and can't be sent on",
        "forward what names the caller: `Authorization`, `Cookie`, `Accept-Language`"
      )
      return nil
    }
    return text
  }
}

enum EditsKeys: ObjectKeys {
  static let name = "Edits"
  static let noun = "the edits"

  private static func key(_ name: String, _ documentation: String) -> Key<EditRequestKeys.Request> {
    Key(name, .object(EditRequestKeys.self), documentation)
  }
  static let insert = key("insert", "The request that adds an item. Default method: POST.")
  static let patch = key("patch", "The request that changes an item. Default method: PATCH.")
  static let delete = key("delete", "The request that removes an item. Default method: DELETE.")
  static let move = key("move", "The request that moves an item. Default method: POST.")

  static let keys = [insert.description, patch.description, delete.description, move.description]

  static func value(of object: ObjectReader) -> EditsDefinition? {
    var edits = EditsDefinition()
    edits.insert = object[insert]?.definition(method: "POST")
    edits.patch = object[patch]?.definition(method: "PATCH")
    edits.delete = object[delete]?.definition(method: "DELETE")
    edits.move = object[move]?.definition(method: "POST")
    return edits
  }
}

enum EditRequestKeys: ObjectKeys {
  static let name = "EditRequest"
  static let noun = "an edit's request"

  struct Request: Sendable {
    var method: String?
    var url: Template
    var headers: [(name: String, value: Template)]
    var body: Template?

    func definition(method standard: String) -> EditRequestDefinition {
      EditRequestDefinition(method: method ?? standard, url: url, headers: headers, body: body)
    }
  }

  static let method = Key("method", .method, "The request method.")
  static let url = Key(
    required: "url",
    .urlTemplate,
    example: "\"https://api.example.com/items/${$id}\"",
    "Where to: the item's members, `$id`, `$edit` and `$params` are percent-encoded into it."
  )
  static let headers = Key(
    "headers",
    .map(of: .textTemplate, noun: "the headers", names: .header),
    "Request headers."
  )
  static let body = Key("body", .template, "The body: `${$edit}` is what the caller sent. Default: none.")

  static let keys = [method.description, url.description, headers.description, body.description]

  static func value(of object: ObjectReader) -> Request? {
    let (verb, content) = (object[method], object[body])
    let fields = (object[headers] ?? []).map { (name: $0.name.value, value: $0.value) }
    return object[url].map { Request(method: verb, url: $0, headers: fields, body: content) }
  }
}
