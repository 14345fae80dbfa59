import JSON

/// Filters of lists and objects.
enum ListFilters {
  static let all: [Filter] = [
    Filter(
      "join(separator?)",
      "The texts of an array's elements in one; nulls are left out.",
      examples: [("['a', 'b'] | join(', ')", "\"a, b\"")],
      reads: .whole(24)
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "join") else { return .null }
      let separator = try call.text(0, of: "join") ?? ", "
      try call.scope.charge(elements.count * Cost.written)
      var text = ""
      var isFirst = true
      for element in elements where !element.isNull {
        // Behind an empty text, too.
        if !isFirst { text += separator }
        isFirst = false
        element.append(to: &text)
        guard text.utf8.count <= Arithmetic.maximumText else { throw Arithmetic.tooLong("join") }
      }
      try call.scope.charge(text.utf8.count * Cost.byte)
      return .string(text)
    },
    Filter(
      "first(count?)",
      "The first element, or so many of them; of a string, characters.",
      examples: [("[3, 4, 5] | first", "3"), ("'abc' | first(2)", "\"ab\"")],
      reads: .characters(ascii: 60, other: 60)
    ) { (call) throws(EvaluationError) in try ListEnds.first(call) },
    Filter(
      "last(count?)",
      "The last element, or so many of them; of a string, characters.",
      examples: [("[3, 4, 5] | last", "5"), ("[3, 4, 5] | last(2)", "[4,5]")],
      reads: .characters(ascii: 60, other: 60)
    ) { (call) throws(EvaluationError) in try ListEnds.last(call) },
    Filter(
      "slice(start, end?)",
      "Elements or characters from a position up to before another; negative: from the end.",
      examples: [("'abcdef' | slice(1, 3)", "\"bc\""), ("[1, 2, 3] | slice(-2)", "[2,3]")],
      reads: .characters(ascii: 60, other: 60)
    ) { (call) throws(EvaluationError) in try ListEnds.slice(call) },
    Filter(
      "length",
      "How many characters, elements or members; 0 for null.",
      examples: [("'Zoë' | length", "3"), ("[1, 2] | length", "2")],
      reads: .characters(ascii: 10, other: 30)
    ) { (call) throws(EvaluationError) in
      switch call.input.kind {
      case .null: return .integer(0)
      case .string: return .integer(Int64((call.input.string ?? "").count))
      case .array, .object: return .integer(Int64(call.input.count))
      case .boolean, .number: throw call.unfit("length", "a string, an array or an object")
      }
    },
    Filter(
      "map(expression)",
      "What an expression gives for each element.",
      examples: [("[1, 2] | map($item * 10)", "[10,20]"), ("labels | map(name)", "[\"bug\",\"ui\"]")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "map") else { return .null }
      return .array(try call.evaluateForEach(elements))
    },
    Filter(
      "where(expression)",
      "The elements for which an expression is true.",
      examples: [("[1, 2, 3] | where($item > 1)", "[2,3]"), ("labels | where(name == 'ui') | length", "1")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "where") else { return .null }
      let results = try call.evaluateForEach(elements)
      return .array(zip(elements, results).filter { $0.1.isTruthy }.map(\.0))
    },
    Filter(
      "sort(expression?, direction?)",
      "Sorted by an expression, or by themselves, texts of numbers as numbers; 'descending' turns the order.",
      examples: [
        ("[3, 1, 2] | sort", "[1,2,3]"), ("['10', '9'] | sort", "[\"9\",\"10\"]"),
        ("['a', 'b'] | sort($item, 'descending')", "[\"b\",\"a\"]"),
      ],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "sort") else { return .null }
      let direction = try call.text(1, of: "sort") ?? "ascending"
      guard direction == "ascending" || direction == "descending" else {
        throw EvaluationError("sort takes 'ascending' or 'descending', not", showing: direction)
      }
      let values = call.arguments.isEmpty ? elements : try call.evaluateForEach(elements)
      let keys = values.map(\.countedAsNumber)
      // Ends soon where the budget is exhausted, and in any order.
      let comparison = Comparison(call.scope.budget)
      let sorted = zip(elements, keys).sorted {
        (direction == "ascending" ? comparison.order($0.1, $1.1) : comparison.order($1.1, $0.1)) == .before
      }
      try call.scope.budget?.check()
      return .array(sorted.map(\.0))
    },
    Filter(
      "unique(expression?)",
      "Without repeated elements; the first of each stays.",
      examples: [("[1, 2, 1] | unique", "[1,2]")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "unique") else { return .null }
      let keys = call.arguments.isEmpty ? elements : try call.evaluateForEach(elements)
      // Each is hashed, and compared with at most one that is alike.
      for key in keys {
        try call.scope.charge(Cost.hashed)
        try call.scope.budget?.chargeWhole(key, byte: 2)
      }
      var seen: Set<Value> = []
      return .array(zip(elements, keys).filter { seen.insert($0.1).inserted }.map(\.0))
    },
    Filter(
      "reverse",
      "Elements or characters from the last to the first.",
      examples: [("[1, 2] | reverse", "[2,1]")],
      reads: .characters(ascii: 150, other: 150)
    ) { (call) throws(EvaluationError) in
      // From the front: to find the character before a place takes a walk over all regional indicators before that.
      if let string = call.input.string { return .string(String(Array(string).reversed())) }
      guard let elements = try call.inputElements(for: "reverse") else { return .null }
      return .array(elements.reversed())
    },
    Filter(
      "keys",
      "The names of an object's members.",
      examples: [("reactions | keys", "[\"up\",\"down\"]")],
      reads: .bytes(1)
    ) {
      (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      guard let members = call.input.members else { throw call.unfit("keys", "an object") }
      return .array(members.map { .string($0.name) })
    },
    Filter(
      "values",
      "The values of an object's members.",
      examples: [("reactions | values", "[3,1]")],
      reads: .bytes(1)
    ) {
      (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      guard let members = call.input.members else { throw call.unfit("values", "an object") }
      return .array(members.map(\.value))
    },
    Filter(
      "entries",
      "An object's members as a list of `key` and `value`: for items that stand under their identities.",
      examples: [("reactions | entries", "[{\"key\":\"up\",\"value\":3},{\"key\":\"down\",\"value\":1}]")],
      reads: .bytes(1)
    ) {
      (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      guard let members = call.input.members else { throw call.unfit("entries", "an object") }
      return .array(
        members.map {
          .object([Value.Member(name: "key", value: .string($0.name)), Value.Member(name: "value", value: $0.value)])
        }
      )
    },
    Filter(
      "default(value)",
      "Another value in place of null or an empty string, array or object; `??` is for null alone.",
      examples: [("missing | default('none')", "\"none\""), ("'' | default('none')", "\"none\"")],
      reads: .bytes(1)
    ) { (call) throws(EvaluationError) in
      let isEmpty =
        switch call.input.kind {
        case .null: true
        case .boolean, .number: false
        case .string: !call.input.isTruthy
        case .array, .object: call.input.count == 0
        }
      return isEmpty ? try call.argument(0) ?? .null : call.input
    },
  ]
}
