internal import Expressions
internal import FieldValues
public import JSON

/// The members of a local source's items that edits may write, by their dotted names (`address.street`), each with its
/// type.
///
/// Only members that an edit writes are checked: an item that was stored under another declaration stays as it is until
/// an edit writes the member that is wrong.
public struct ItemFields: Sendable {
  /// In the order of the configuration.
  public let fields: [CellDefinition.Field]
  /// The same by their parts.
  public let root: Group

  /// The members of an object.
  public struct Group: Sendable {
    public fileprivate(set) var members: [Member] = []
    /// It has members of any name beside these.
    public fileprivate(set) var isOpen = false
    /// It may be missing as a whole, whatever its members are.
    public fileprivate(set) var isOptional = false
    fileprivate var names: Set<ByteText> = []
  }

  public struct Member: Sendable {
    public let name: String
    public fileprivate(set) var kind: Kind
  }

  public enum Kind: Sendable {
    case field(CellDefinition.Field)
    case group(Group)
  }

  /// A complaint about one member; its name is dotted.
  public struct Fault: Equatable, Sendable {
    public var name: String
    public var reason: String
  }

  /// - Precondition: no field is a part of one that is no object.
  public init(_ fields: [CellDefinition.Field]) {
    self.fields = fields
    var root = Group()
    for field in fields { root.insert(field, at: Self.path(of: field.name)[...]) }
    self.root = root
  }

  /// The parts of a dotted name.
  public static func path(of name: String) -> [String] {
    name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// The kind of change that an edit makes to an item.
  public enum Change: Sendable {
    /// Adds it, or puts it in the place of another: all of it counts.
    case whole
    /// A merge patch of what was there.
    case patch(of: JSONValue)
    /// The service itself has set members, as they make it one of a section.
    case placement(of: JSONValue)
  }

  /// Returns the complaints about what an edit writes; of very many only the first.
  ///
  /// - Parameters:
  ///   - written: what the client has sent, or a merge patch.
  ///   - item: what the item becomes.
  /// - Complexity: O(members of the item and the change, times fields).
  public func faults(writing written: JSONValue, making item: JSONValue, by change: Change) -> [Fault] {
    var review = FieldReview()
    switch change {
    case .whole: review.review(root, written, item, old: nil)
    case .patch(let old):
      review.isPatch = true
      review.review(root, written, item, old: old)
    case .placement(let old):
      (review.isPatch, review.isOfService) = (true, true)
      review.review(root, written, item, old: old)
    }
    return review.faults
  }
}

extension ItemFields.Group {
  fileprivate mutating func insert(_ field: CellDefinition.Field, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    let position = members.firstIndex { ByteText($0.name) == ByteText(name) }
    guard path.count == 1 else {
      var group = Self()
      switch position.map({ members[$0].kind }) {
      case .group(let known)?: group = known
      case .field(let whole)?: (group.isOpen, group.isOptional) = (true, whole.isOptional)
      case nil: break
      }
      group.insert(field, at: path.dropFirst())
      return set(.group(group), as: name, at: position)
    }
    guard case .group(var group)? = position.map({ members[$0].kind }) else {
      return set(.field(field), as: name, at: position)
    }
    (group.isOpen, group.isOptional) = (true, field.isOptional)
    set(.group(group), as: name, at: position)
  }

  private mutating func set(_ kind: ItemFields.Kind, as name: String, at position: Int?) {
    if let position {
      members[position].kind = kind
    } else {
      members.append(ItemFields.Member(name: name, kind: kind))
      names.insert(ByteText(name))
    }
  }

  /// Returns whether it declares a member, or a part of one.
  public func has(_ name: String) -> Bool { names.contains(ByteText(name)) }

  /// For people.
  fileprivate var nameList: String {
    members.isEmpty ? "none" : members.prefix(20).map { "`\($0.name)`" }.joined(separator: ", ")
  }
}

/// One look at what an edit writes.
private struct FieldReview {
  var faults: [ItemFields.Fault] = []
  /// Null removes a member.
  var isPatch = false
  /// True where a member that is no declared field may be set all the same.
  var isOfService = false

  /// More are not told of.
  private static let limit = 20

  /// - Parameter old: what was there; nil: the group is new, and all of it counts.
  mutating func review(
    _ group: ItemFields.Group,
    _ written: JSONValue?,
    _ item: JSONValue,
    old: JSONValue?,
    at place: String = ""
  ) {
    if case .object(let members)? = written, !group.isOpen, !isOfService {
      // A body has room for a hundred thousand members; the names are put together for the first unknown one.
      var known: String?
      for member in members {
        guard faults.count < Self.limit else { break }
        guard !group.has(member.name), !(isPatch && member.value == .null) else { continue }
        let names = known ?? group.nameList
        known = names
        add(place + member.name.prefix(100), "is no field here: \(names) may be written")
      }
    }
    for member in group.members where old == nil || written?[member.name] != nil {
      review(member, written?[member.name], item[member.name] ?? .null, old: old?[member.name], at: place)
    }
  }

  private mutating func review(
    _ member: ItemFields.Member,
    _ written: JSONValue?,
    _ value: JSONValue,
    old: JSONValue?,
    at place: String
  ) {
    let name = place + member.name
    switch member.kind {
    case .field(let field):
      guard value != .null else {
        if !field.isOptional { add(name, "is missing") }
        return
      }
      if !field.type.admitsWritten(value) { add(name, "has to be \(field.type.writtenExpectation)") }
    case .group(let group):
      switch value {
      case .null: if !group.isOptional { review(group, nil, .object([]), old: nil, at: name + ".") }
      case .object:
        let before = if case .object? = old { old } else { JSONValue?.none }
        review(group, written, value, old: before, at: name + ".")
      case .bool, .integer, .unsigned, .double, .string, .array: add(name, "has to be an object")
      }
    }
  }

  private mutating func add(_ name: String, _ reason: String) {
    guard faults.count < Self.limit else { return }
    faults.append(ItemFields.Fault(name: name, reason: reason))
  }
}

extension FieldType {
  /// Returns whether an edit may write a value: as ``admits(_:)``, except that a date may be without a time, and a URL
  /// has to be one that a person may be led to. Null is never admitted.
  func admitsWritten(_ value: JSONValue) -> Bool {
    switch self {
    case .url: Value(value).withText { TextFormat.isLink($0) } ?? false
    case .date: Value(value).withText { TextFormat.isDateTime($0) || TextFormat.isDate($0) } ?? false
    case .list(let type):
      if case .array(let elements) = value { elements.allSatisfy(type.admitsWritten) } else { false }
    case .string, .number, .integer, .boolean, .object, .any, .oneOf: admits(Value(value))
    }
  }

  /// The expected value, in words for people.
  fileprivate var writtenExpectation: String {
    switch self {
    case .url: "a URL: https://…, http://…, mailto:…, tel:… or a path such as /help"
    case .date: "a date such as 2026-12-24, or with a time such as 2026-12-24T18:00:00Z"
    case .list(let type): "a list, each element \(type.writtenExpectation)"
    case .string, .number, .integer, .boolean, .object, .any, .oneOf: expectation
    }
  }
}
