public import Definitions

/// The members that edits may write of a local source's items, or of such a member that has members of its own, with
/// names that fit the language.
struct NamedItem {
  var source: String
  /// Dotted; nil: the item itself.
  var member: String?
  var typeName: String
  var fields: [NamedCell.Field]

  /// Each source's item, and behind it the objects in it.
  ///
  /// - Parameters:
  ///   - typeNames: of the generated code and of cells.
  ///   - fieldNames: that fields can't have.
  ///   - choiceNames: that the type of an item's `oneOf` can't have.
  static func all(
    _ sources: [(name: String, fields: ItemFields)],
    typeNames: Set<String>,
    fieldNames: Set<String> = [],
    choiceNames: Set<String> = []
  ) -> [NamedItem] {
    var types = Names(taken: typeNames)
    return sources.flatMap { source in
      let name = Names.upperCamel(source.name) + "Item"
      return items(source.fields.root, of: source.name, at: nil, name, typeNames, fieldNames, choiceNames, &types)
    }
  }

  private static func items(
    _ group: ItemFields.Group,
    of source: String,
    at member: String?,
    _ name: String,
    _ typeNames: Set<String>,
    _ fieldNames: Set<String>,
    _ choiceNames: Set<String>,
    _ types: inout Names
  ) -> [NamedItem] {
    var item = NamedItem(source: source, member: member, typeName: types.unique(name), fields: [])
    var (names, fieldTypes) = (Names(taken: fieldNames), Names(taken: typeNames.union([item.typeName])))
    var parts: [NamedItem] = []
    for part in group.members {
      var field = NamedCell.Field(
        key: part.name,
        name: names.unique(Names.lowerCamel(part.name)),
        typeName: fieldTypes.unique(Names.upperCamel(part.name), besides: part.isChoice ? choiceNames : []),
        type: .object,
        isOptional: false
      )
      switch part.kind {
      case .field(let declared): (field.type, field.isOptional) = (declared.type, declared.isOptional)
      // With members of any name it is as an app has it.
      case .group(let inner) where inner.isOpen: field.isOptional = inner.isOptional
      case .group(let inner):
        let place = (member.map { $0 + "." } ?? "") + part.name
        let name = item.typeName + field.typeName
        let inside = items(inner, of: source, at: place, name, typeNames, fieldNames, [], &types)
        field.reference = inside.first?.typeName
        field.isOptional = inner.members.allSatisfy(\.isOptional)
        parts += inside
      }
      item.fields.append(field)
    }
    return [item] + parts
  }

  /// For a comment.
  var title: String {
    let items = "the items of `\(commentText(source))`"
    return member.map { "`\(commentText($0))` of \(items)." } ?? "What edits may write of \(items)."
  }
}

extension ItemFields.Member {
  fileprivate var isChoice: Bool { if case .field(let field) = kind { field.type.words != nil } else { false } }

  fileprivate var isOptional: Bool {
    switch kind {
    case .field(let field): field.isOptional
    case .group(let group): group.isOptional || group.members.allSatisfy(\.isOptional)
    }
  }
}

extension ServiceDefinition {
  /// The local sources with `fields`.
  public var writableItems: [(name: String, fields: ItemFields)] {
    sources.compactMap { source in
      guard case .local(let local) = source.kind, let fields = local.fields else { return nil }
      return (source.name, fields)
    }
  }
}
