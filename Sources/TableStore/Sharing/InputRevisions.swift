import FieldValues

/// The records of the service's own items that a version is made of, at which of their revisions: the one of the table's own source,
/// and those that it looks up or shows beside that.
public struct InputRevisions: Hashable, Sendable {
  /// The record of the table's own source; nil where it has none.
  public var own: String?
  /// By the records' names.
  private var numbers: [String: UInt64] = [:]

  public init() {}

  /// The forwarding entry of a renamed record of items: the new name is its only input.
  init(newName: String) { (own, numbers) = (newName, [newName: 0]) }

  public var isEmpty: Bool { numbers.isEmpty }

  /// The records' names.
  var names: Set<String> { Set(numbers.keys) }

  public subscript(record: String) -> UInt64? {
    get { numbers[record] }
    set { numbers[record] = newValue }
  }

  /// Without all records but the table's own.
  public mutating func keepOwn() { numbers = numbers.filter { $0.key == own } }

  /// A record has another name. Returns whether it is among them.
  @discardableResult
  public mutating func rename(_ record: String, to name: String) -> Bool {
    guard let number = numbers.removeValue(forKey: record) else { return false }
    numbers[name] = max(number, numbers[name] ?? 0)
    if own == record { own = name }
    return true
  }

  /// Returns whether both name the same records.
  public func haveSameRecords(as others: InputRevisions) -> Bool { own == others.own && names == others.names }

  /// Returns whether all records of another one are among them.
  public func haveRecords(of others: InputRevisions) -> Bool { others.numbers.keys.allSatisfy { numbers[$0] != nil } }

  /// Returns whether a record is at an older revision than it was before.
  ///
  /// - Parameter record: one that is not compared.
  public func setBack(_ before: InputRevisions, but record: String? = nil) -> Bool {
    numbers.contains { name, number in name != record && before[name].map { number < $0 } ?? false }
  }

  /// Returns whether all records are named, at these revisions or later ones.
  public func reach(_ others: InputRevisions) -> Bool {
    others.numbers.allSatisfy { name, number in self[name].map { $0 >= number } ?? false }
  }
}

// MARK: - As they are kept

extension InputRevisions {
  /// The key of the revisions among the objects of the table: no row's identity.
  private static let row = "\u{1}"

  /// A line for each record, the own one's first.
  var object: ObjectChange {
    let first = own.flatMap { own in numbers[own].map { "\($0) \(own)" } } ?? "-"
    let others = numbers.filter { $0.key != own }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return ObjectChange(row: Self.row, bytes: Array(([first] + others).joined(separator: "\n").utf8))
  }

  init(_ bytes: [UInt8]) {
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard words.count == 2, let number = UInt64(String(decoding: words[0], as: UTF8.self)) else { continue }
      let name = String(decoding: words[1], as: UTF8.self)
      numbers[name] = number
      if index == 0 { own = name }
    }
  }

  /// Takes them out of what is kept of a table's objects.
  init(takingFrom objects: inout [ByteText: [UInt8]]) {
    self.init(objects.removeValue(forKey: ByteText(Self.row)) ?? [])
  }

  /// The same of what a commit has changed; nil where it says nothing of them.
  static func taken(from objects: inout [ObjectChange]) -> InputRevisions? {
    guard let last = objects.last(where: { $0.row == row }) else { return nil }
    objects.removeAll { $0.row == row }
    return InputRevisions(last.bytes ?? [])
  }
}
