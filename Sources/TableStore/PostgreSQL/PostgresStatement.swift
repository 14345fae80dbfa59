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

  /// The bytes of its parameters.
  var size: Int { parameters.reduce(0) { $0 + $1.size } }

  /// The server takes no message of 1 GiB or more, which leaves some room for all that is not a parameter's value.
  static let maximumSize = (1 << 30) - (1 << 20)
  /// About so many bytes of parameters are in one of several statements that write something long: the server counts
  /// time anew with each.
  static let partSize = 1 << 20

  /// Returns elements in their order, cut into parts of about ``partSize``.
  ///
  /// - Parameter size: of an element in bytes.
  static func parts<Element>(of elements: [Element], _ size: (Element) -> Int) -> [ArraySlice<Element>] {
    var parts: [ArraySlice<Element>] = []
    var (start, sum) = (elements.startIndex, 0)
    for index in elements.indices {
      sum += size(elements[index]) + 16
      guard sum >= partSize else { continue }
      parts.append(elements[start...index])
      (start, sum) = (index + 1, 0)
    }
    if start < elements.endIndex { parts.append(elements[start...]) }
    return parts
  }

  /// Gives it to libpq, results in binary; false where it is longer than ``maximumSize``, libpq has no memory, or the
  /// connection is gone.
  func send(on connection: OpaquePointer) -> Bool {
    guard size <= Self.maximumSize else { return false }
    let values = parameters.map(\.encoded)
    let lengths = values.map { Int32($0?.count ?? 0) }
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
