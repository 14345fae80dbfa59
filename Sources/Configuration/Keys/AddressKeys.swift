import Definitions

// Messages show the text as it was written, not its result: that may come from the environment.

extension ValueReader where Value == ListenAddress {
  /// `8080`, `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
  static let listenAddress = ValueReader(
    .anyOf([
      .integer(0...65535), .text(description: "an address and a port", pattern: nil, examples: ["127.0.0.1:8080"]),
    ])
  ) { node, reading in
    guard let text = ValueReader<String>.text("an address and a port", example: "127.0.0.1:8080").read(node, reading)
    else { return nil }
    do throws(ListenAddress.Mistake) {
      let address = try ListenAddress(parsing: text)
      // A name may stand for several addresses, and for others tomorrow.
      guard address.host == "localhost" || AddressRange.bytes(of: address.host) != nil else {
        reading.error(at: node.place, "\(node.seen) has no address", "a numeric IPv4 or IPv6 address is needed")
        return nil
      }
      return address
    } catch {
      reading.error(at: node.place, "\(node.seen) is no address and port", error.suggestion)
      return nil
    }
  }
}

extension ValueReader where Value == StoreDefinition {
  static let store = ValueReader.either(
    ValueReader(.enumeration(["memory"])) { node, reading in
      if node.scalar?.text == "memory" { return .memory }
      let path = node.scalar.flatMap { $0.resolved == .null ? nil : $0.text }
      reading.error(
        at: node.place,
        "the store is `memory` or a mapping, and this is \(node.seen)",
        "write `store: {path: \(path ?? ServiceDefinition.defaultStorePath)}`"
      )
      return nil
    },
    when: { $0.scalar != nil },
    or: .object(StoreKeys.self)
  )
}
