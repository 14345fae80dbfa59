import Synchronization

/// How much may wait in connections to be taken by those who asked for it. Bytes that several connections share count once.
///
/// Nothing is counted of what a client takes at once, so that most responses cost nothing here.
final class OutputBudget: Sendable {
  /// In bytes: beyond it, whoever takes nothing is cut off.
  let comfortable: Int
  /// In bytes: beyond it, so is whoever takes little by little.
  let limit: Int
  private let state = Mutex(State())

  private struct State {
    /// How many hold an array's bytes, by where they are.
    var holders: [UInt: Int] = [:]
    var total = 0
  }

  init(comfortable: Int, limit: Int) { (self.comfortable, self.limit) = (min(comfortable, limit), limit) }

  /// Bytes that wait now.
  var total: Int { state.withLock { $0.total } }

  /// Counts what is to wait, for as long as the result lives. O(1).
  func hold(_ bytes: [UInt8]) -> HeldOutput { HeldOutput(bytes, self) }

  fileprivate func add(_ bytes: [UInt8]) {
    state.withLock { state in
      let place = Self.place(of: bytes)
      let holders = state.holders[place, default: 0]
      if holders == 0 { state.total += bytes.count }
      state.holders[place] = holders + 1
    }
  }

  fileprivate func remove(_ bytes: [UInt8]) {
    state.withLock { state in
      let place = Self.place(of: bytes)
      guard let holders = state.holders[place] else { return }
      state.holders[place] = holders > 1 ? holders - 1 : nil
      if holders == 1 { state.total -= bytes.count }
    }
  }

  /// Nothing else is there while somebody holds them.
  private static func place(of bytes: [UInt8]) -> UInt {
    bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }
}

/// Bytes that wait to be taken, counted as long as this lives.
final class HeldOutput: Sendable {
  private let bytes: [UInt8]
  private let budget: OutputBudget

  fileprivate init(_ bytes: [UInt8], _ budget: OutputBudget) {
    (self.bytes, self.budget) = (bytes, budget)
    budget.add(bytes)
  }

  deinit { budget.remove(bytes) }
}
