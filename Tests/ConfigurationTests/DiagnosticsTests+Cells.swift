extension DiagnosticsTests {
  static let cells = [
    Case(
      "type",
      base + "cells: {C: {fields: {title: optional strin}}}",
      "2:29: 'optional strin' is no type, did you mean 'string'?"
    ),
    Case(
      "optional in another language",
      base + "cells: {C: {fields: {title: string?}}}",
      "2:29: 'string?' is no type, write `optional string`"
    ),
    Case(
      "words that stand twice",
      base + "cells: {C: {fields: {title: string, a: {oneOf: [b, B, b]}}}}",
      "2:55: 'b' stands twice in the list of words, keep one of them",
      "1:44: the field 'a' of C is not filled"
    ),
    Case(
      "a field that nothing fills",
      base + "cells: {C: {fields: {title: string, a: optional string}}}",
      "2:9: warning: no payload fills the field 'a' of C"
    ),
    Case(
      "another language's template",
      "tables: {t: {source: {local: {}}, cell: C, payload: {title: \"{{ name }}\"}}}\ncells: {C: {fields: {title: string}}}",
      "1:61: warning: '{{ name }}' is another language's template, and the same text in every row, write `${name}` for a member"
    ),
    Case(
      "a cell that is not there, where there is one",
      "tables: {t: {source: {local: {}}, cell: D, payload: {title: x}}}\ncells: {C: {fields: {title: string}}}",
      "1:41: there is no cell 'D', did you mean 'C'?",
      "2:9: warning: nothing shows the cell 'C', clients are told of it all the same"
    ),
    Case(
      "a cell that is like none",
      "tables: {t: {source: {local: {}}, cell: Label, payload: {title: x}}}\ncells: {C: {fields: {title: string}}}",
      "1:41: there is no cell 'Label', there is C",
      "2:9: warning: nothing shows the cell 'C', clients are told of it all the same"
    ),
    Case(
      "nib and class",
      base + "cells: {C: {fields: {title: string}, nib: a, class: b}}",
      "2:38: a cell with 'nib' and 'class'"
    ),
    Case(
      "expands nothing",
      base + "cells: {C: {fields: {title: string}, expands: titl}}",
      "2:47: 'expands' names no field of this cell: 'titl', did you mean 'title'?"
    ),
    Case(
      "expands a text",
      base + "cells: {C: {fields: {title: string}, expands: title}}",
      "2:47: 'expands' names the field 'title', which is a string, it must be a boolean"
    ),
    Case(
      "fallback",
      base + "cells: {C: {fields: {title: string}, fallback: D}}",
      "2:48: there is no cell 'D', did you mean 'C'?"
    ),
    Case(
      "fallbacks in a circle",
      base + "cells: {C: {fields: {title: string}, fallback: D}, D: {fallback: C}}",
      "2:48: fallbacks go round in a circle: C → D → C",
      "2:52: warning: the fallback C needs the field 'title', which D does not have"
    ),
    Case("unused", base + cell.dropLast(2) + ", D: {}}", "2:39: warning: nothing shows the cell 'D'"),
  ]

  static func table(_ rest: String) -> String { cell + "tables: {t: {source: {local: {}}, \(rest)}}" }

  static let representations = [
    Case(
      "cell",
      table("cell: D"),
      "2:41: there is no cell 'D', did you mean 'C'?",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "field",
      table("cell: C, payload: {titel: a, title: b}"),
      "2:54: C has no field 'titel', did you mean 'title'?"
    ),
    Case(
      "unfilled field",
      table("cell: C, payload: {}"),
      "2:44: the field 'title' of C is not filled: no item fits"
    ),
    Case(
      "constant of another type",
      table("cell: C, payload: {title: 3}"),
      "2:61: the field 'title' of C is a string, and this is the number 3"
    ),
    Case(
      "null for a required value of any kind",
      "cells: {C: {fields: {x: any, y: optional any}}}\ntables: {t: {source: {local: {}}, cell: C, payload: {x: null, y: null}}}",
      "2:57: the field 'x' of C is anything, and this is nothing"
    ),
    Case(
      "payload without cell",
      table("payload: {title: a}, representations: {$default: {cell: C, payload: {title: a}}}"),
      "2:13: 'payload' without 'cell'"
    ),
    Case(
      "no look",
      table("title: T"),
      "2:13: nothing says how the items of 't' are shown, give it a `cell` and a `payload`",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "use",
      table("representations: {$default: {use: shared}, sharde: {cell: C, payload: {title: a}}}"),
      "2:69: there is no representation 'shared', did you mean 'sharde'?",
      "2:78: warning: no table has items of the type 'sharde'"
    ),
    Case(
      "uses in a circle",
      table("representations: {$default: {use: a}, a: {cases: [{use: $default}]}}"),
      "2:69: representations use each other in a circle: $default → a → $default",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "an own one that uses itself",
      table("representations: {$default: {use: $default}}"),
      "2:69: representations use each other in a circle: $default → $default",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "a fallback on itself",
      base + "cells: {C: {fields: {title: string}, fallback: C}}",
      "2:48: fallbacks go round in a circle: C → C"
    ),
    Case(
      "an own one over the shared one of its name",
      table("representations: {$default: {use: $default}}")
        + "\nrepresentations: {$default: {cell: C, payload: {title: a}}}"
    ),
    Case(
      "both cell and use",
      table("representations: {$default: {cell: C, use: a}}"),
      "2:63: a representation with 'cell' and 'use'",
      "1:9: warning: nothing shows the cell 'C'"
    ),
    Case(
      "type that nothing takes",
      table(
        "row: {type: \"${a ? 'x' : (b ? 'yy' : 'z')}\"}, representations: {x: {cell: C, payload: {title: a}}, yyy: {cell: C, payload: {title: a}}}"
      ),
      "2:47: warning: no representation takes the type 'yy': its items are skipped, did you mean 'yyy'?",
      "2:47: warning: no representation takes the type 'z'",
      "2:134: warning: no table has items of the type 'yyy'"
    ),
  ]
}
