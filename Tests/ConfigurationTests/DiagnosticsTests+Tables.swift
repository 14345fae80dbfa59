extension DiagnosticsTests {
  static let tables = [
    Case(
      "identity",
      cell + "sources: {s: {url: https://x.example}}\ntables: {t: {source: s, cell: C, payload: {title: a}}}",
      "3:13: 'row.id' is missing: rows of an upstream need an identity"
    ),
    Case(
      "$parent without items",
      table("row: {id: \"${id}\"}, cell: C, payload: {title: \"${$parent.name}\"}"),
      "2:84: `$parent` is known where a table has `items`"
    ),
    Case(
      "items of a local source",
      cell + "tables: {t: {source: {local: {}}, items: cards, cell: C, payload: {title: a}}}",
      "2:35: the items of a local source are rows themselves"
    ),
    Case(
      "constant identity",
      table("row: {id: email}, cell: C, payload: {title: a}"),
      "2:45: every row would have the same identity 'email', write `id: \"${email}\"`"
    ),
    Case(
      "an identity in another language",
      table("row: {id: \"{{ number }}\"}, cell: C, payload: {title: a}"),
      "2:45: '{{ number }}' is another language's template: every row would have the same identity, write `id: \"${number}\"`"
    ),
    Case(
      "a constant in another language",
      table("cell: C, payload: {title: a}, sections: [{id: a, where: done == True}]"),
      "2:99: in the expression: `True` would be a member of the item: write `true`"
    ),
    Case(
      "an interpolation in an expression",
      table("cell: C, payload: {title: a}, sections: [{id: a, where: \"state == '${$params.state}'\"}]"),
      "2:102: `${…}` inside of an expression, an expression names members as they are"
    ),
    Case(
      "an expression that is not closed",
      table("cell: C, payload: {title: a}, sections: [{id: a, where: \"${state\"}]"),
      "2:92: in the expression: ${ is not closed: } is missing"
    ),
    Case(
      "an object in an expression",
      table("cell: C, payload: {title: a}, sections: [{id: a, where: \"${data | map({id: n})}\"}]"),
      "2:105: in the expression: there are no objects in expressions"
    ),
    Case(
      "an expression beside another one",
      table("cell: C, payload: {title: a}, sections: [{id: a, where: \"${state} && ${open}\"}]"),
      "2:92: `${…}` inside of an expression"
    ),
    Case(
      "a currency that is none",
      table("cell: C, payload: {title: \"${price | currency('EURO')}\"}"),
      "2:72: in the expression: currency takes a code of three capitals such as 'EUR', not 'EURO'"
    ),
    Case(
      "a zone that is none",
      table("cell: C, payload: {title: \"${at | date('short', 'Mars/Base')}\"}"),
      "2:69: in the expression: date takes a time zone such as 'Europe/Berlin', not 'Mars/Base'"
    ),
    Case("source", cell + "tables: {t: {cell: C, payload: {title: a}}}", "2:13: 'source' is missing"),
    Case(
      "section id",
      table("cell: C, payload: {title: a}, sections: [{where: a}]"),
      "2:76: 'id' is missing, write for example `id: open`"
    ),
    Case(
      "section ids twice",
      table("cell: C, payload: {title: a}, sections: [{id: a}, {id: a}]"),
      "2:90: two sections have the id 'a'; the first is in line 2"
    ),
    Case(
      "groups",
      table("cell: C, payload: {title: a}, sections: {grupBy: a}"),
      "2:75: 'groupBy' is missing",
      "2:76: unknown key 'grupBy' in the groups, did you mean 'groupBy'?"
    ),
    Case(
      "a value with two titles",
      table("cell: C, payload: {title: a}, find: {filters: {f: {by: f, titles: {none: N, \"\": E}}}}"),
      "2:111: a second title of the value `none`, keep one of them: `\"\"` is the value `none`"
    ),
    Case(
      "animation",
      table("cell: C, payload: {title: a}, animation: {insert: fad}"),
      "2:85: the text 'fad' is none of fade, right, left, top, bottom, none, middle or automatic, did you mean 'fade'?"
    ),
    Case(
      "yes for true",
      table("cell: C, payload: {title: a}, sharedTaps: yes"),
      "2:77: a boolean is expected here, and this is the text 'yes', write `true`"
    ),
    Case(
      "pattern",
      table("cell: C, payload: {title: a}, parameters: {a: {pattern: \"[\"}}"),
      "2:91: '[' is no pattern: something is wrong at `[`"
    ),
    Case(
      "default outside the pattern",
      table("cell: C, payload: {title: a}, parameters: {a: {pattern: \"[a-z]+\", default: A}}"),
      "2:101: the default 'A' does not match the pattern"
    ),
    Case(
      "unknown parameter",
      table("cell: C, payload: {title: \"${$params.ownr}\"}, parameters: {owner: }"),
      "2:64: the table 't' has no parameter 'ownr', did you mean 'owner'?"
    ),
    Case(
      "edits of a local table",
      table("cell: C, payload: {title: a}, edits: {delete: {url: https://x.example}}"),
      "2:65: edits of a local table are not forwarded"
    ),
    Case(
      "a replacement that no client can ask for",
      upstreamTable("insert: {url: https://x.example}, replace: {url: \"https://x.example/${$id}\"}"),
      "3:117: warning: no client can replace an item of 't'"
    ),
    Case(
      "a replacement that clients can ask for",
      upstreamTable(
        "insert: {url: https://x.example, body: {id: \"${$id}\"}}, replace: {url: \"https://x.example/${$id}\"}"
      )
    ),
    Case(
      "an item that is added belongs to nothing yet",
      upstreamTable("insert: {url: \"https://x.example/${$id}/${$status}\"}, replace: {ulr: https://x.example}"),
      "3:147: unknown key 'ulr'",
      "3:146: 'url' is missing"
    ),
    Case(
      "an item that is added has no members yet",
      upstreamTable(
        "insert: {url: \"https://x.example/${id}\", body: {row: {title: \"${title}\"}}, headers: {A: \"${a}\"}}"
      ),
      "3:118: 'id' is a member of an item, and there is no item here, `$edit.id` is what the caller sent",
      "3:147: 'title' is a member of an item, and there is no item here, `$edit.title` is what the caller sent",
      "3:174: 'a' is a member of an item"
    ),
    Case(
      "an item that is added is no item yet",
      upstreamTable("insert: {url: https://x.example, form: {id: \"${$item}\"}}"),
      "3:130: `$item` means nothing here, here there is no item: `$edit` is what the caller sent"
    ),
    Case(
      "elements of what is added are items",
      upstreamTable(
        "insert: {url: \"https://x.example/${$id}?of=${$key}\", item: \"${row}\", id: \"${item.id}\", "
          + "refused: \"${errors}\", "
          + "body: {row: {title: \"${$edit.title}\", at: \"${$edit.at}\", section: \"${$edit.section}\"}, "
          + "names: \"${$edit.parts | map(name)}\", parts: \"${$edit.parts | where($item.a == 1)}\", "
          + "tags: {$each: \"${$edit.tags}\", id: \"${$index}\", title: \"${title}\"}}}"
      )
    ),
    Case(
      "fields of a form that are called like keys",
      upstreamTable(
        "patch: {url: https://x.example, form: {id: \"${$user.id}\", item: \"${$user.a}\", fields: \"${$edit.a}\"}}}, "
          + "lookups: {user: {source: s, key: id, on: owner}}, "
          + "actions: {rename: {request: {url: https://x.example, form: "
          + "{title: \"${$edit.title}\", when: \"${$edit.when}\", item: \"${$user.id}\"}}}"
      )
    ),
    Case(
      "an action that is called form",
      upstreamTable(
        "}, actions: {form: {title: \"${$edit.title}\", request: {url: https://x.example}}, "
          + "headers: {when: $status == 3, request: {url: https://x.example}}"
      ),
      "3:113: `$edit` means nothing here",
      "3:180: `$status` means nothing here"
    ),
    Case(
      "item",
      cell + "tables: {t: {source: {local: {items: [3]}}, cell: C, payload: {title: a}}}",
      "2:39: an item is expected here, and this is the number 3"
    ),
    Case(
      "instances",
      table("cell: C, payload: {title: a}, instances: {freezeAfter: 5m, dropAfter: 1m}"),
      "2:94: 'dropAfter' is shorter than 'freezeAfter'"
    ),
  ]

  private static func upstreamTable(_ edits: String) -> String {
    cell + "sources: {s: {url: https://x.example}}\n"
      + "tables: {t: {source: s, row: {id: \"${id}\"}, cell: C, payload: {title: a}, edits: {\(edits)}}}"
  }
}
