import JSON

/// A bound on the cost of evaluation, so that no expression hangs: for one item all of its expressions together, else
/// each by itself.
///
/// The unit is a step, about a nanosecond's work. An operation is charged for what it reads as well as for what it
/// makes, and by the values alone: neither time, nor the processor, nor the state of a cache decides what an item may
/// cost, so that it is fit everywhere or nowhere. ``Cost`` lists the charges.
///
/// A mapper has one budget and starts it again for each item. Not thread-safe.
public final class Budget {
  /// The budget of one item: some tenth of a second.
  public static let standard = 100_000_000

  private var limit: Int
  private var remaining: Int
  /// The values that paths from the item led to inside lists of plain values: they are walked once for all elements.
  private var walked: [ObjectIdentifier: (root: JSONView, value: Value?)] = [:]

  public init(_ steps: Int = Budget.standard) { (limit, remaining) = (steps, steps) }

  /// For what is found in a response of so many bytes: once through all of it costs some steps a byte.
  public convenience init(ofResponse bytes: Int) { self.init(Budget.standard + bytes * 64) }

  /// Starts again, for another item.
  public func restart(_ steps: Int = Budget.standard) {
    (limit, remaining) = (steps, steps)
    if !walked.isEmpty { walked.removeAll(keepingCapacity: true) }
  }

  /// More was asked for than there was.
  public var isExhausted: Bool { remaining < 0 }

  /// All of it, where more was asked for.
  public var spent: Int { limit - max(0, remaining) }

  /// Why what exhausts it has no value.
  public var failure: EvaluationError {
    let limit = limit >= 1_000_000 ? "\(limit / 1_000_000) million steps" : "\(limit) steps"
    return EvaluationError("this is too much work, more than \(limit): long texts or lists are read again and again")
  }

  /// For what is charged while it is done, and ends early where the budget is exhausted.
  func spend(_ steps: Int) { remaining -= steps }

  /// For what is done with a value that was evaluated.
  public func charge(_ steps: Int) throws(EvaluationError) {
    remaining -= steps
    if remaining < 0 { throw failure }
  }

  /// After what was only spent.
  func check() throws(EvaluationError) { if remaining < 0 { throw failure } }

  /// A value that was made for an element of a list, or is put into a text. A view counts with what it is as text: the
  /// values that share it are written out one by one.
  func chargeMade(_ value: Value) throws(EvaluationError) {
    switch value {
    case .null, .bool, .integer, .unsigned, .number: break
    case .string(let string): try charge(string.utf8.count * Cost.madeByte)
    case .text(let text): try charge(text.count * Cost.madeByte)
    case .json, .array, .object: try chargeWhole(value, byte: Cost.madeByte)
    }
  }

  /// A value that is read with all that is in it.
  func chargeWhole(_ value: Value, byte: Int) throws(EvaluationError) {
    spend(whole: value, byte: byte)
    try check()
  }

  /// A value that is put into a text, where lists and objects are JSON.
  func chargeText(of value: Value, byte: Int) throws(EvaluationError) {
    switch value {
    case .null, .bool, .integer, .unsigned, .number: break
    case .string, .text: try charge(value.byteCount * byte)
    case .json, .array, .object: try chargeWhole(value, byte: max(byte, Cost.writtenByte))
    }
  }

  private func spend(whole value: Value, byte: Int) {
    switch value {
    case .null, .bool, .integer, .unsigned, .number: spend(Cost.written)
    case .string(let string): spend(Cost.written + string.utf8.count * byte)
    case .text(let text): spend(Cost.written + text.count * byte)
    case .json(let view):
      let (values, bytes) = view.extent(limit: max(0, remaining))
      spend(values * Cost.written + bytes * byte)
    case .array(let elements):
      spend(Cost.written)
      for element in elements where !isExhausted { spend(whole: element, byte: byte) }
    case .object(let members):
      spend(Cost.written)
      for member in members where !isExhausted {
        spend(Cost.written + member.name.utf8.count * byte)
        spend(whole: member.value, byte: byte)
      }
    }
  }

  /// Returns the value of a path from the item, inside a list whose elements have no names of their own.
  func remembered(_ path: CompiledPath, from root: JSONView, _ walk: () -> Value?) -> Value? {
    if let known = walked[ObjectIdentifier(path)], known.root.isVery(root) { return known.value }
    let value = walk()
    walked[ObjectIdentifier(path)] = (root, value)
    return value
  }
}

/// The charges for operations, in steps: measured (`Benchmarks/`), with hostile values, and rounded up.
enum Cost {
  /// An operator, a filter, a path.
  static let operation = 20
  /// An element for which an expression is evaluated.
  static let visit = 400
  /// An element or a member that is read where it stands.
  static let element = 20
  /// A value in a list or an object that is compared, or hashed.
  static let compared = 44
  /// The charge for a date formatter.
  static let formatter = 200_000
  /// The charge for the plural rules of a language: opened, they take a fortieth of what a date formatter takes.
  static let pluralRules = 5_000
  /// A value that is put into a set.
  static let hashed = 350
  /// A value that is written as JSON, or measured for that.
  static let written = 60
  /// A byte of a value that is kept: 16 MB are the most that an item can make.
  static let madeByte = 6
  /// A byte of a text that is copied, or looked through.
  static let byte = 3
  /// A byte of a text that is written in JSON, where it may have to be escaped.
  static let writtenByte = 24
  /// So many bytes are compared in a step.
  static let bytesCompared = 8
  /// The budget for a value that all items of a mapping share.
  static let shared = 1_000_000_000
}

extension Scope {
  /// The budget of everything that is evaluated in the scope; without one each expression has a budget of its own.
  public var work: Budget? {
    get { budget }
    set { budget = newValue }
  }

  /// The cache for values of the scope that are the same for all items of a source.
  public var sharedValues: SharedValues? {
    get { shared }
    set { shared = newValue }
  }

  /// With a budget, if it has none yet.
  func budgeted() -> Scope {
    guard budget == nil else { return self }
    var scope = self
    scope.budget = Budget()
    return scope
  }

  @inline(__always)
  func charge(_ steps: Int) throws(EvaluationError) {
    guard let budget else { return }
    try budget.charge(steps)
  }
}
