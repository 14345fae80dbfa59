import Definitions

// What was written is shown in messages, not what it resulted in: that may come from the environment.

extension ValueReader where Value == ListenAddress {
  /// `8080`, `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
  static let listenAddress = ValueReader(
    .anyOf([
      .integer(0...65535), .text(description: "an address and a port", pattern: nil, examples: ["127.0.0.1:8080"]),
    ])
  ) { node, reading in
    guard let text = ValueReader<String>.text("an address and a port", example: "127.0.0.1:8080").read(node, reading)
    else { return nil }
    guard let address = ListenAddress(parsing: text) else {
      reading.error(
        at: node.place,
        "\(node.seen) is no address and port",
        "write it as `127.0.0.1:8080`, `\"[::1]:8080\"` or `8080`"
      )
      return nil
    }
    return address
  }
}

extension ListenAddress {
  fileprivate init?(parsing text: String) {
    self.init()
    let port: Substring
    if let separator = text.lastIndex(of: ":") {
      var host = text[..<separator]
      port = text[text.index(after: separator)...]
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = host.dropFirst().dropLast()
        guard host.contains(":") else { return nil }
      } else if host.contains(":") {
        return nil
      }
      guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || "/[]".contains($0) }) else { return nil }
      self.host = String(host)
    } else {
      port = text[...]
    }
    guard let number = UInt16(port), port.allSatisfy(\.isNumber) else { return nil }
    self.port = number
  }
}

extension ValueReader where Value == StoreDefinition {
  static let store = ValueReader.either(
    ValueReader(.enumeration(["memory"])) { node, reading in
      if node.scalar?.text == "memory" { return .memory }
      reading.error(
        at: node.place,
        "the store is `memory` or a mapping, and this is \(node.seen)",
        "write `store: {path: \(node.scalar.map(\.text) ?? ServiceDefinition.defaultStorePath)}`"
      )
      return nil
    },
    when: { $0.scalar != nil },
    or: .object(StoreKeys.self)
  )
}
