import Definitions
import Dispatch
import Expressions
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Upstream

extension TransferClient {
  func send(_ request: TransferRequest) async -> Result<TransferResponse, UpstreamError> {
    await withCheckedContinuation { continuation in
      send(request) { continuation.resume(returning: $0) }
    }
  }
}

extension Source {
  func refreshed() async -> SourceUpdate {
    await withCheckedContinuation { continuation in refresh { continuation.resume(returning: $0) } }
  }

  /// One that is fetched on request only, with quick retries.
  static func onRequest(
    _ url: String,
    client: TransferClient,
    context: FetchContext = FetchContext(),
    retries: Int = 0,
    recorder: Recorder<String>? = nil,
    notices: Recorder<SourceNotice>? = nil,
    _ change: (inout UpstreamDefinition) throws -> Void = { _ in }
  ) throws -> Source {
    var definition = try UpstreamDefinition(quick: url)
    try change(&definition)
    var schedule = RefreshSchedule.Configuration()
    schedule.every = definition.every
    schedule.retries = retries
    schedule.firstBackoff = .milliseconds(10)
    // Not by itself after a failure either, however slow the machine is.
    (schedule.firstRecovery, schedule.maximumRecovery) = (.seconds(3600), .seconds(3600))
    return Source(
      name: "test",
      definition: definition,
      context: context,
      client: client,
      schedule: schedule,
      onNotice: { notices?.append($0) },
      onUpdate: { recorder?.append($0.word) }
    )
  }
}

extension UpstreamDefinition {
  init(quick url: String) throws {
    self.init(url: try Template(text: url))
    every = .zero
    maxBytes = 1 << 20
  }

  /// For what is expected to take too long.
  mutating func hurry() {
    connectTimeout = .milliseconds(500)
    timeout = .milliseconds(500)
    stallTimeout = .milliseconds(250)
  }
}

extension SourceUpdate {
  var error: UpstreamError? { if case .failed(let error) = self { error } else { nil } }
  var content: FetchedContent? { if case .content(let content) = self { content } else { nil } }
  var isUnchanged: Bool { if case .unchanged = self { true } else { false } }

  /// For tables of expectations.
  var word: String {
    switch self {
    case .content(let content): "content \(content.itemCount)"
    case .unchanged: "unchanged"
    case .failed(let error): error.kind.rawValue + (error.status.map { " \($0)" } ?? "")
    }
  }
}

extension FetchedContent {
  var bodies: [[UInt8]] {
    switch form {
    case .pages(let bodies), .items(let bodies): bodies
    }
  }

  var text: String { bodies.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }
}

extension MisbehavingUpstream {
  /// What it has received since the start.
  func log(_ client: TransferClient) async throws -> JSONValue {
    let url = try #require(UpstreamURL("\(base)/log"))
    return try await JSONValue(parsing: client.send(TransferRequest(url: url)).get().body)
  }
}

/// Collects what callbacks say, and lets a test wait for it.
final class Recorder<Element: Sendable>: Sendable {
  private let state = Mutex<(elements: [Element], waiters: [(Int, CheckedContinuation<[Element], Never>)])>(([], []))

  func append(_ element: Element) {
    let ready = state.withLock { state in
      state.elements.append(element)
      let count = state.elements.count
      let ready = state.waiters.filter { $0.0 <= count }
      state.waiters.removeAll { $0.0 <= count }
      return (ready, state.elements)
    }
    for (_, continuation) in ready.0 { continuation.resume(returning: ready.1) }
  }

  var elements: [Element] { state.withLock { $0.elements } }

  /// Waits until there are so many.
  func first(_ count: Int) async -> [Element] {
    await withCheckedContinuation { continuation in
      let elements = state.withLock { state -> [Element]? in
        if state.elements.count >= count { return state.elements }
        state.waiters.append((count, continuation))
        return nil
      }
      if let elements { continuation.resume(returning: elements) }
    }
  }
}
