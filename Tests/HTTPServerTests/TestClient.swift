import TestSupport

/// A client that sends bytes as they are, and to which whatever comes is an outcome.
final class TestClient {
  typealias Response = TestSupport.Reply

  enum Outcome: Equatable {
    case response(Response)
    /// The connection has ended where a response would begin.
    case closed
    /// Nothing came in time.
    case timeout
    /// What came is no response.
    case malformed(String)

    var code: String {
      switch self {
      case .response(let response): String(response.status)
      case .closed: "close"
      case .timeout: "timeout"
      case .malformed(let what): what
      }
    }

    var response: Response? { if case .response(let response) = self { response } else { nil } }
  }

  /// Nil where nobody listens, and once it is closed.
  private var client: HTTPClient?

  init(port: UInt16) { client = try? HTTPClient(port: port) }

  var isConnected: Bool { client != nil }

  func close() { client = nil }

  /// Closes with a reset.
  func reset() {
    client?.endByReset()
    close()
  }

  func shutWriting() { client?.endSending() }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    guard let client else { return false }
    do { try client.send(raw: bytes) } catch { return false }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(HTTPCase.latin1(text)) }

  /// Reads the next response. `isHead`: it has no body, whatever its head says.
  func receive(isHead: Bool = false, seconds: Double = 60) -> Outcome {
    outcome { try $0.receive("a response", isHead: isHead, seconds: seconds) }
  }

  /// Reads the head of a response without its body.
  func receiveHead() -> Outcome { outcome { try $0.receiveHead("a head") } }

  /// Reads one chunk of a response that never ends; nil where none comes in time.
  func receiveChunk() -> [UInt8]? { try? client?.receiveChunkBytes("a chunk") }

  private func outcome(_ body: (HTTPClient) throws -> Response) -> Outcome {
    guard let client else { return .closed }
    do {
      return .response(try body(client))
    } catch let error as Socket.Ended {
      return error.unread == 0 ? .closed : .malformed("ended in \(error.unread) bytes")
    } catch is TimeOut {
      return .timeout
    } catch {
      return .malformed("\(error)")
    }
  }
}
