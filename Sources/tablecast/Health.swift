import ArgumentParser
import Dispatch
import Foundation
import Synchronization
import Upstream

struct Health: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a running service whether it is alive.",
    discussion: "The exit code is 0 if it answers, otherwise 1. The container's HEALTHCHECK uses this."
  )

  @Option(help: "The service's address.")
  var url = "http://127.0.0.1:8080"

  func run() throws {
    // The service itself must answer, whatever proxies the environment names.
    setenv("no_proxy", "*", 1)
    var base = url[...]
    while base.hasSuffix("/") { base.removeLast() }
    guard let address = UpstreamURL("\(base)/healthz") else {
      throw ValidationError("`\(url)` is no URL: http://127.0.0.1:8080 is one.")
    }
    var limits = TransferLimits()
    limits.timeout = .seconds(2)
    let isAlive = Mutex(false)
    let semaphore = DispatchSemaphore(value: 0)
    let client = try TransferClient()
    client.send(TransferRequest(url: address, limits: limits)) { result in
      if case .success(let response) = result, response.status == 200 { isAlive.withLock { $0 = true } }
      semaphore.signal()
    }
    // A client's transfers end with it: it has to outlive this one.
    withExtendedLifetime(client) { _ = semaphore.wait(timeout: .now() + 2.5) }
    if !isAlive.withLock({ $0 }) { throw ExitCode(1) }
  }
}
