import CPQ

/// A statement with its parameters.
struct PostgresStatement: Sendable {
  let text: String
  let parameters: [PostgresValue]

  init(_ text: String, _ parameters: PostgresValue...) { self.init(text, parameters) }

  init(_ text: String, _ parameters: [PostgresValue]) {
    self.text = text
    self.parameters = parameters
  }

  /// Gives it to libpq, results in binary; false where libpq has no memory, or the connection is gone.
  func send(on connection: OpaquePointer) -> Bool {
    let values = parameters.map(\.encoded)
    let lengths = values.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: values.count)
    // One buffer for all, as their addresses have to hold until the call returns; never empty.
    let bytes = values.reduce(into: []) { $0 += $1 ?? [] } + [0]
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        var offset = 0
        let pointers: [UnsafePointer<CChar>?] = values.map { value in
          guard let value, let start = buffer.baseAddress else { return nil }
          defer { offset += value.count }
          return start + offset
        }
        return PQsendQueryParams(
          connection,
          text,
          Int32(values.count),
          nil,
          pointers,
          lengths,
          formats,
          1
        ) == 1
      }
    }
  }
}
