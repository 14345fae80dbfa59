import Synchronization

/// How much may wait in connections to be taken by those who asked for it, in all and on each loop. Bytes that several
/// connections share count once.
///
/// Nothing is counted of what a client takes at once, so that most responses cost nothing here.
final class OutputBudget: Sendable {
  /// In bytes: beyond it, whoever takes nothing is cut off.
  let comfortable: Int
  /// In bytes: beyond it, so is whoever takes little by little.
  let limit: Int
  private let state = Mutex(State())

  private struct State {
    /// How many hold an array's bytes on one loop.
    var holders: [Place: Int] = [:]
    /// On how many loops an array's bytes are held, by where they are.
    var loops: [UInt: Int] = [:]
    /// Bytes by loop.
    var held: [Int: Int] = [:]
    var total = 0
  }

  private struct Place: Hashable {
    var address: UInt
    var loop: Int
  }

  init(comfortable: Int, limit: Int) { (self.comfortable, self.limit) = (min(comfortable, limit), limit) }

  /// Bytes that wait now.
  var total: Int { state.withLock { $0.total } }

  /// Returns whether more than the limit waits, and on no loop more than on this one. O(loops).
  func isTooMuch(on loop: Int) -> Bool {
    state.withLock { $0.total > limit && $0.held[loop, default: 0] == $0.held.values.max() }
  }

  /// Counts what is to wait on a loop, for as long as the result lives. O(1).
  func hold(_ bytes: [UInt8], on loop: Int = 0) -> HeldOutput { HeldOutput(bytes, on: loop, self) }

  fileprivate func add(_ bytes: [UInt8], on loop: Int) {
    state.withLock { state in
      let place = Place(address: Self.address(of: bytes), loop: loop)
      let holders = state.holders[place, default: 0]
      state.holders[place] = holders + 1
      guard holders == 0 else { return }
      state.held[loop, default: 0] += bytes.count
      let loops = state.loops[place.address, default: 0]
      state.loops[place.address] = loops + 1
      if loops == 0 { state.total += bytes.count }
    }
  }

  fileprivate func remove(_ bytes: [UInt8], on loop: Int) {
    state.withLock { state in
      let place = Place(address: Self.address(of: bytes), loop: loop)
      guard let holders = state.holders[place] else { return }
      state.holders[place] = holders > 1 ? holders - 1 : nil
      guard holders == 1, let loops = state.loops[place.address] else { return }
      state.held[loop, default: 0] -= bytes.count
      state.loops[place.address] = loops > 1 ? loops - 1 : nil
      if loops == 1 { state.total -= bytes.count }
    }
  }

  /// Nothing else is there while somebody holds them.
  private static func address(of bytes: [UInt8]) -> UInt {
    bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }
}

/// Bytes that wait to be taken, counted as long as this lives.
final class HeldOutput: Sendable {
  private let bytes: [UInt8]
  private let loop: Int
  private let budget: OutputBudget

  fileprivate init(_ bytes: [UInt8], on loop: Int, _ budget: OutputBudget) {
    (self.bytes, self.loop, self.budget) = (bytes, loop, budget)
    budget.add(bytes, on: loop)
  }

  deinit { budget.remove(bytes, on: loop) }
}
