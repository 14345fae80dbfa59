public import Definitions
public import Expressions
internal import JSON

/// The shape of a value that a template makes, as far as it can be told without items.
indirect enum SelectionShape: Equatable {
  case text, boolean, number
  case object([Member])
  /// The shape of a lone `${…}`, which may be anything; of lists; of members that differ from one template to the next.
  case any

  struct Member: Equatable {
    var name: String
    var shape: SelectionShape
    /// Absent or null at times.
    var isOptional: Bool
  }

  init(_ template: Template) {
    if let members = template.members {
      self = .object(
        members.map { member in
          let isNull = member.template.constant.map { $0 == .null } ?? false
          let shape = SelectionShape(member.template)
          return Member(name: member.name, shape: shape, isOptional: isNull || shape == .any)
        }
      )
    } else if template.isText {
      self = .text
    } else {
      switch template.constant {
      case .bool: self = .boolean
      case .integer, .double: self = .number
      default: self = .any
      }
    }
  }

  /// Returns the shape that holds values of both.
  func merged(with other: SelectionShape) -> SelectionShape {
    switch (self, other) {
    case (.object(let one), .object(let two)):
      var members = one.map { member in
        guard let twin = two.first(where: { $0.name == member.name }) else {
          return Member(name: member.name, shape: member.shape, isOptional: true)
        }
        let shape = member.shape.merged(with: twin.shape)
        return Member(
          name: member.name,
          shape: shape,
          isOptional: member.isOptional || twin.isOptional || shape == .any
        )
      }
      members += two.filter { member in !one.contains { $0.name == member.name } }
        .map { Member(name: $0.name, shape: $0.shape, isOptional: true) }
      return .object(members)
    default: return self == other ? self : .any
    }
  }
}

/// The shapes of all `select` in a configuration.
struct Selections {
  /// The member whose constant text says which kind it is: `type`.
  var discriminator: String
  /// In the order in which the configuration has them, each text once.
  var kinds: [(text: String, members: [SelectionShape.Member])]

  /// Nil where there are none, or where no member tells them apart: apps then decode a type of their own.
  init?(_ templates: [Template]) {
    let objects = templates.compactMap(\.members)
    guard let first = objects.first, objects.count == templates.count else { return nil }
    func text(_ members: [Template.Member], _ name: String) -> String? {
      members.first { $0.name == name }.flatMap { member in
        if case .string(let text)? = member.template.constant { text } else { nil }
      }
    }
    let candidates = first.map(\.name).filter { name in objects.allSatisfy { text($0, name) != nil } }
    guard let discriminator = candidates.first(where: { $0 == "type" }) ?? candidates.first else { return nil }
    self.discriminator = discriminator
    kinds = []
    for (template, object) in zip(templates, objects) {
      guard let kind = text(object, discriminator), case .object(let all) = SelectionShape(template) else { continue }
      let members = all.filter { $0.name != discriminator }
      guard let index = kinds.firstIndex(where: { $0.text == kind }) else {
        kinds.append((kind, members))
        continue
      }
      if case .object(let merged) = SelectionShape.object(kinds[index].members).merged(with: .object(members)) {
        kinds[index].members = merged
      }
    }
  }
}

extension ServiceDefinition {
  /// Every `select` of the configuration: of cells, then of representations by name, then of tables.
  public var selections: [Template] {
    cells.compactMap(\.select) + Self.selections(representations)
      + tables.flatMap { [$0.cell?.select].compactMap(\.self) + Self.selections($0.representations) }
  }

  private static func selections(_ representations: [String: RepresentationDefinition]) -> [Template] {
    representations.sorted { $0.key < $1.key }.flatMap { selections($0.value) }
  }

  private static func selections(_ representation: RepresentationDefinition) -> [Template] {
    switch representation {
    case .cell(let mapping): [mapping.select].compactMap(\.self)
    case .cases(let cases): cases.flatMap { selections($0.representation) }
    case .use: []
    }
  }
}
