import Definitions
import Dispatch
import Foundation
import Identity
import Logging
import Synchronization
import Upstream

/// Keeps one issuer's keys: carries out what ``IssuerKeys`` asks for, and calls whoever waits for it. Lives as long as a
/// configuration has the issuer, over further readings of it.
final class KeyKeeper: Sendable {
  let issuer: String
  private let fetcher: KeyFetcher
  private let logger: Logger
  /// Called when a key is gone that tokens may be signed with.
  private let onRevocation: @Sendable () -> Void
  private let contents: Mutex<Contents>

  private struct Contents {
    var machine: IssuerKeys
    var waiting: [@Sendable () -> Void] = []
  }

  private struct Outcome {
    var progress: IssuerKeys.Progress
    var waiting: [@Sendable () -> Void] = []
    var deadline: Duration?
  }

  /// The most requests that wait for keys, each for some seconds.
  private static let maximumWaiting = 1024

  init(
    _ definition: JWTDefinition,
    _ fetcher: KeyFetcher,
    _ logger: Logger,
    onRevocation: @escaping @Sendable () -> Void
  ) {
    (issuer, self.fetcher, self.logger, self.onRevocation) = (definition.issuer, fetcher, logger, onRevocation)
    contents = Mutex(Contents(machine: IssuerKeys(IssuerKeys.Location(definition))))
  }

  var keys: KeySet { contents.withLock { $0.machine.keys } }

  /// Until then nobody's token can be judged.
  var haveCome: Bool { contents.withLock { $0.machine.haveCome } }

  /// In how many whole seconds they are asked for again; 1 while they are being fetched.
  var pause: Int {
    let deadline = contents.withLock { $0.machine.deadline }
    return max(deadline.map { Int((($0 - .now) / .seconds(1)).rounded(.up)) } ?? 1, 1)
  }

  /// Fetches them when it is time, from now on.
  func start() { carryOut(contents.withLock { $0.machine.due(at: .now) }) }

  /// Fetches them now: the operator has changed something.
  func fetch() { carryOut(contents.withLock { $0.machine.demanded() }) }

  /// A token names a key that is not known. True where it is being looked for: ``wait(_:)`` tells when that is over.
  func miss() -> Bool {
    switch contents.withLock({ $0.machine.missed(at: .now) }) {
    case .refuse: return false
    case .wait(let step):
      carryOut(step)
      return true
    }
  }

  /// Calls when the fetch that is under way is over, on another queue. False: too many wait already.
  func wait(_ completion: @escaping @Sendable () -> Void) -> Bool {
    contents.withLock { contents in
      guard contents.machine.isUnderWay else {
        fetcher.queue.async(execute: completion)
        return true
      }
      guard contents.waiting.count < Self.maximumWaiting else { return false }
      contents.waiting.append(completion)
      return true
    }
  }

  private func carryOut(_ step: IssuerKeys.Step?) {
    guard let step else { return }
    fetcher.fetch(step) { [self] answer in
      let outcome = contents.withLock { contents -> Outcome in
        let progress = contents.machine.received(answer, at: .now)
        guard !contents.machine.isUnderWay else { return Outcome(progress: progress) }
        defer { contents.waiting = [] }
        return Outcome(progress: progress, waiting: contents.waiting, deadline: contents.machine.deadline)
      }
      let progress = outcome.progress
      report(progress)
      if case .next(let step) = progress { return carryOut(step) }
      if case .changed(isRevoking: true) = progress { onRevocation() }
      for completion in outcome.waiting { completion() }
      guard let deadline = outcome.deadline else { return }
      let pause = max((deadline - .now) / .milliseconds(1), 1)
      fetcher.queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause) + 1)) { [weak self] in self?.start() }
    }
  }

  private func report(_ progress: IssuerKeys.Progress) {
    switch progress {
    case .next, .unchanged: return
    case .changed(let isRevoking):
      let keys = keys
      var metadata: Logger.Metadata = ["issuer": "\(issuer)", "keys": .stringConvertible(keys.keys.count)]
      if !keys.refusals.isEmpty { metadata["left out"] = "\(keys.refusals.joined(separator: "; "))" }
      logger.notice(isRevoking ? "An issuer has taken keys back" : "An issuer's keys have come", metadata: metadata)
    case .failed(let reason):
      logger.warning(
        haveCome
          ? "An issuer's keys can't be fetched: those that are known count" : "An issuer's keys can't be fetched",
        metadata: ["issuer": "\(issuer)", "reason": "\(reason)"]
      )
    }
  }
}

extension IssuerKeys.Location {
  init(_ definition: JWTDefinition) {
    self =
      switch definition.keys {
      case .url(let url): .url(url)
      case .file(let path): .file(path)
      case .discovered: .discovered(issuer: definition.issuer)
      }
  }
}

/// Reads what issuers publish: files, and URLs by libcurl, without redirects, within five seconds.
final class KeyFetcher: Sendable {
  let queue = DispatchQueue(label: "tablecast.identity")
  private let client = Mutex<TransferClient?>(nil)

  private static let limits = TransferLimits(
    timeout: .seconds(5),
    stallTimeout: .seconds(5),
    maxBodyBytes: KeySet.maximumBytes,
    maxRedirects: 0
  )

  /// - Parameter completion: called once, on any queue.
  func fetch(_ step: IssuerKeys.Step, _ completion: @escaping @Sendable (Result<[UInt8], KeyRefusal>) -> Void) {
    switch step {
    case .read(let path): queue.async { completion(Self.contents(of: path)) }
    case .get(let address):
      guard let url = UpstreamURL(address), url.mayBringKeys else {
        return queue.async { completion(.failure(KeyRefusal(told: "the address of the keys is not https"))) }
      }
      guard let client = makeClient() else {
        return queue.async { completion(.failure(KeyRefusal(told: "there are no descriptors left"))) }
      }
      let accept = TransferField("Accept", "application/jwk-set+json, application/json").map { [$0] } ?? []
      client.send(TransferRequest(url: url, headers: accept, limits: Self.limits)) { result in
        switch result {
        case .success(let response) where response.status == 200: completion(.success(response.body))
        case .success(let response): completion(.failure(KeyRefusal(told: "\(url) answers \(response.status)")))
        case .failure(let error): completion(.failure(KeyRefusal(told: "\(url): \(error.title)")))
        }
      }
    }
  }

  private func makeClient() -> TransferClient? {
    client.withLock { client in
      if client == nil { client = try? TransferClient(queue: queue, idleConnections: 4) }
      return client
    }
  }

  private static func contents(of path: String) -> Result<[UInt8], KeyRefusal> {
    guard let file = FileHandle(forReadingAtPath: path) else {
      return .failure(KeyRefusal(told: "the file can't be read"))
    }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: KeySet.maximumBytes + 1) else {
      return .failure(KeyRefusal(told: "the file can't be read"))
    }
    return .success(Array(data))
  }
}

extension UpstreamURL {
  /// By TLS, or from this machine itself: who could change keys on their way would be everybody.
  fileprivate var mayBringKeys: Bool {
    let isAddress = origin.host.hasPrefix("127.") && !origin.host.contains(where: \.isLetter)
    return origin.isSecure || isAddress || origin.host == "localhost" || origin.host == "[::1]"
  }
}
