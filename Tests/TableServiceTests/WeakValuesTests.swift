import Testing

@testable import TableService

@Suite struct WeakValuesTests {
  private final class Value: Sendable {
    let key: Int
    let values: WeakValues<Int, Value>

    init(_ key: Int, _ values: WeakValues<Int, Value>) { (self.key, self.values) = (key, values) }

    deinit { values.forget(key) }
  }

  @Test func aValueIsSharedAsLongAsSomebodyHasIt() {
    let values = WeakValues<Int, Value>()
    func value(_ key: Int) -> Value { values.value(for: key) { Value(key, values) } }
    do {
      let (one, other, second) = (value(1), value(1), value(2))
      withExtendedLifetime((one, other, second)) {
        #expect(one === other && one !== second && values.count == 2)
      }
    }
    #expect(values.count == 0)
    withExtendedLifetime(value(1)) { #expect(values.count == 1) }
  }

  /// A value that goes late takes nothing from the one in its place.
  @Test func aValueThatGoesLate() {
    let values = WeakValues<Int, Value>()
    let present = values.value(for: 1) { Value(1, values) }
    do { withExtendedLifetime(Value(1, values)) {} }
    withExtendedLifetime(present) {
      #expect(values.count == 1 && values.value(for: 1) { Value(1, values) } === present)
    }
  }

  /// Values come and go on all processors; none is lost, and no lock waits for itself.
  @Test func valuesThatComeAndGoAtOnce() async {
    let values = WeakValues<Int, Value>()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<20_000 {
            let key = (round + worker) % 3
            let value = values.value(for: key) { Value(key, values) }
            #expect(value.key == key)
          }
        }
      }
    }
    #expect(values.count == 0)
  }
}
