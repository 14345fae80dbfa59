/// `select` of rows: a sealed class over its kinds, a data class each.
struct KotlinSelection {
  private struct Kind {
    var text: String
    var typeName: String
    var members: [SelectionShape.Member]
  }

  /// Names of the generated types around the kinds.
  static let typeNames: Set<String> = ["Selection", "SelectionSerializer"]

  private let discriminator: String
  private let kinds: [Kind]
  private let reserved: Set<String>
  /// How a text and a name are written.
  private let string: (String) -> String
  private let escaped: (String) -> String

  /// - Parameter typeNames: of the generated code: none of them may mean something else within a kind.
  init(
    _ selections: Selections,
    typeNames: Set<String>,
    string: @escaping (String) -> String,
    escaped: @escaping (String) -> String
  ) {
    discriminator = selections.discriminator
    let reserved = typeNames.union(Self.typeNames).union(["Unknown"])
    var types = Names(taken: reserved)
    kinds = selections.kinds.map { kind in
      Kind(text: kind.text, typeName: types.unique(Names.upperCamel(kind.text)), members: kind.members)
    }
    self.reserved = reserved
    self.string = string
    self.escaped = escaped
  }

  private var kindName: String { Names.lowerCamel(discriminator) }

  var text: String {
    """

    /** Where a tap on a row leads: its `select`, by its `\(commentText(discriminator))`. */
    @Serializable(with = SelectionSerializer::class)
    sealed class Selection {
        abstract val \(escaped(kindName)): String
    \(kinds.map { dataClass($0.typeName, kind: $0.text, $0.members, indent: "    ") }.joined())
        /** One that this code does not know. */
        @Serializable
        data class Unknown(
            @SerialName(\(string(discriminator))) override val \(escaped(kindName)): String
        ) : Selection()
    }

    object SelectionSerializer : JsonContentPolymorphicSerializer<Selection>(Selection::class) {
        override fun selectDeserializer(element: JsonElement): DeserializationStrategy<Selection> =
            when (element.jsonObject[\(string(discriminator))]?.jsonPrimitive?.content) {
    \(kinds.map { "            \(string($0.text)) -> Selection.\($0.typeName).serializer()\n" }.joined())\
                else -> Selection.Unknown.serializer()
            }
    }

    """
  }

  /// - Parameter kind: the constant text of a selection; nil: of an object within one.
  private func dataClass(
    _ typeName: String,
    kind: String?,
    _ members: [SelectionShape.Member],
    indent: String
  ) -> String {
    var fields = Names(taken: kind == nil ? [] : [kindName])
    var types = Names(taken: reserved.union([typeName]))
    var inner = ""
    var parameters: [String] = []
    if let kind {
      parameters.append(
        "@EncodeDefault @SerialName(\(string(discriminator))) override val \(escaped(kindName)): String = \(string(kind))"
      )
    }
    for member in members {
      let name = escaped(fields.unique(Names.lowerCamel(member.name)))
      let type: String
      switch member.shape {
      case .text: type = "String"
      case .boolean: type = "Boolean"
      case .number: type = "Double"
      case .any: type = "JsonElement"
      case .object(let members):
        type = types.unique(Names.upperCamel(member.name))
        inner += dataClass(type, kind: nil, members, indent: indent + "    ")
      }
      let null = member.isOptional ? "? = null" : ""
      parameters.append("@SerialName(\(string(member.name))) val \(name): \(type)\(null)")
    }
    let head = parameters.isEmpty ? "class" : "data class"
    let list = parameters.map { "\n\(indent)    \($0)" }.joined(separator: ",")
    return "\n\(indent)@Serializable\n\(indent)\(head) \(typeName)\(parameters.isEmpty ? "" : "(\(list)\n\(indent))")"
      + (kind == nil ? "" : " : Selection()") + (inner.isEmpty ? "\n" : " {\(inner)\(indent)}\n")
  }
}
