import Definitions
import Expressions

enum EditsKeys: ObjectKeys {
  static let name = "Edits"
  static let noun = "the edits"

  private static func key(_ name: String, _ documentation: String) -> Key<EditRequestKeys.Request> {
    Key(name, .object(EditRequestKeys.self), documentation)
  }
  static let insert = key(
    "insert",
    "The request that adds an item. Default method: POST. If it uses `$id`, clients may choose the item's identity (`PUT …/items/{row}`); else the service makes a UUID."
  )
  static let replace = key(
    "replace",
    "The request that puts another item in the place of one, whole: `body: \"${$edit}\"`. Default method: PUT."
  )
  static let patch = key("patch", "The request that changes an item. Default method: PATCH.")
  static let delete = key("delete", "The request that removes an item. Default method: DELETE.")
  static let move = key("move", "The request that moves an item. Default method: POST.")

  static let keys = [insert.description, replace.description, patch.description, delete.description, move.description]

  static func value(of object: ObjectReader) -> EditsDefinition? {
    var edits = EditsDefinition()
    edits.insert = object[insert]?.definition(method: "POST")
    edits.replace = object[replace]?.definition(method: "PUT")
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
    var item: Expression?
    var refused: Expression?
    var form: Template?
    var id: Expression?
    var fields: Expression?

    func definition(method standard: String) -> EditRequestDefinition {
      EditRequestDefinition(
        method: method ?? standard,
        url: url,
        headers: headers,
        body: body,
        item: item,
        refused: refused,
        form: form,
        id: id,
        fields: fields
      )
    }
  }

  static let method = Key("method", .method, "The request method.")
  static let url = Key(
    required: "url",
    .urlTemplate,
    secrecy: .request,
    example: "\"https://api.example.com/items/${$id}\"",
    "The URL: the item's members, `$id`, `$edit` and `$params` are percent-encoded into it."
  )
  static let headers = Key(
    "headers",
    .map(of: .fieldTemplate, noun: "the headers", names: .header),
    secrecy: .credentials,
    "Request headers. Those of the source go along, unless they are set here or the host is another."
  )
  static let body = Key(
    "body",
    .template,
    secrecy: .request,
    "The body: `${$edit}` is what the caller sent, `$edit.section`, `.at`, `.after` and `.before` its place. Default: "
      + "none."
  )
  static let item = Key(
    "item",
    .expression,
    "Where the item stands in the upstream's answer: `${rows[0]}`. Default: the answer itself, where it has the row's id."
  )
  static let refused = Key(
    "refused",
    .expression,
    "The reason of a refusal (422): `${errors[0].message}`. Null, false or empty: accepted. Knows the answer and `$status`. Default: `errors`, where the source's `items` are under `data`; else the status alone counts."
  )

  static let form = Key(
    "form",
    .map(of: .template, noun: "the form", names: .any),
    secrecy: .request,
    "In place of `body`: sent as `application/x-www-form-urlencoded`. Null is left out, a list becomes several fields."
  )
  static let id = Key(
    "id",
    .expression,
    "For an insert's answer with only the new item's id: the value of `row.id`, as `${silenceID}`."
  )
  static let fields = Key(
    "fields",
    .expression,
    "Complaints about single members, as `{name: text or texts}`: `${meta.problems}`. Default: the forms that "
      + "frameworks use are known."
  )

  static let keys = [
    method.description, url.description, headers.description, body.description, form.description, item.description,
    id.description, refused.description, fields.description,
  ]

  static func value(of object: ObjectReader) -> Request? {
    let (verb, content) = (object[method], object[body])
    let fields = (object[headers] ?? []).map { (name: $0.name.value, value: $0.value) }
    let (found, refusal, named, reasons) = (object[item], object[refused], object[id], object[Self.fields])
    let pairs = object[form]
    if object.has(form), object.has(body) {
      object.reading.error(at: object.place(of: form), "a request has 'body' or 'form', not both", "keep one of them")
    }
    let sent = pairs.map { pairs in Template(members: pairs.map { ($0.name.value, $0.value) }) }
    return object[url].map {
      Request(
        method: verb,
        url: $0,
        headers: fields,
        body: content,
        item: found,
        refused: refusal,
        form: sent,
        id: named,
        fields: reasons
      )
    }
  }
}
