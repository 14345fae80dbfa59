import ArgumentParser
import Configuration
import Definitions
import Dispatch
import Foundation
import HTTPServer
import LineLog
import Logging
import Synchronization
import TableService
import TableStore

/// The service as a process: from its configuration to the signal that ends it.
final class Service: Sendable {
  /// How long an ending may take.
  private static let grace = Duration.milliseconds(4500)

  private let configuration: ServiceConfiguration
  private let logger = Logger(label: "tablecast")
  private let definition: ServiceDefinition
  private let listen: ListenAddress
  private let insecure: Bool
  private let accessLog: AccessLog?
  /// `listen` of the configuration counts for nothing.
  private let isListenGiven: Bool
  private let state = Mutex(State.starting)

  /// How far the process is, and how it is ended meanwhile.
  private enum State {
    case starting
    case serving(end: @Sendable () -> Void)
    case ending
  }

  /// - Throws: `ExitCode` where the configuration has mistakes; they have been printed.
  init(configuration: ServiceConfiguration, listen: String?, insecure: Bool, accessLog: AccessLog? = nil) throws {
    (self.configuration, self.insecure, self.accessLog) = (configuration, insecure, accessLog)
    isListenGiven = listen != nil
    definition = try configuration.definition()
    self.listen = try listen.map(ListenAddress.init(argument:)) ?? definition.listen
  }

  /// Has large pieces of memory, such as the bodies of replies, go back to the system when nobody needs them any more. Left to
  /// itself the allocator takes ever larger ones from what it never gives back.
  private static func giveBackMemory() {
    // A function that Swift doesn't import, and some C libraries haven't.
    guard let symbol = dlsym(nil, "mallopt") else { return }
    let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
    let mmapThreshold: CInt = -3
    _ = mallopt(mmapThreshold, 1 << 20)
  }

  /// Serves until a signal ends it; does not return. ``Signals/block()`` comes before the first thread.
  ///
  /// - Parameter whenServing: is told the address once clients can connect: with port 0 the kernel has chosen it.
  func run(whenServing: (SocketAddress) -> Void = { _ in }) throws -> Never {
    Signals.handle([SIGTERM, SIGINT]) { [self] in ended(by: $0) }
    Self.giveBackMemory()
    try Self.raiseDescriptorLimit()
    try Self.checkMemoryLimits()
    let store = try openStore()
    let isOpen = insecure || listen.isLoopback
    let service: TableService
    do {
      let environment = ServiceEnvironment(store: store, logger: logger, isOpenForEdits: isOpen)
      service = try waiting { [definition] in try await TableService(definition, environment: environment) }
    } catch {
      throw CleanExit.failure("\(configuration.name): \(error)")
    }
    var settings = definition.server(listen)
    if let accessLog { settings.accessLog = { accessLog.write($0, caller: service.callerName(of: $0)) } }
    let server = Server(configuration: settings, handler: service, logger: logger)
    service.attach(server)
    let address: SocketAddress
    do {
      address = try server.start()
    } catch {
      throw CleanExit.failure("\(error)")
    }
    try waiting { await service.start() }
    state.withLock { $0 = .serving { [self] in end(service, server, store) } }
    Signals.handle([SIGHUP]) { [self] _ in reload(service, server, store) }
    logger.notice(
      "Serving",
      metadata: ["address": "http://\(address)", "tables": .stringConvertible(definition.tables.count)]
    )
    if isOpen, definition.auth.tokens.isEmpty, definition.auth.issuers.isEmpty, definition.hasEditableTables {
      logger.notice("Editing is open to everyone who reaches this address: `auth.tokens` closes it")
    }
    whenServing(address)

    signal(SIGPIPE, SIG_IGN)
    Signals.park()
  }

  /// With fewer the store, the upstreams and the runtime have none left for clients; the runtime ends a process without any.
  private static let fewestDescriptors: rlim_t = 64

  /// As many descriptors as the system lets the process have: each waiting client holds one.
  private static func raiseDescriptorLimit() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_max >= fewestDescriptors else {
      let detail =
        "\(limit.rlim_max) descriptors may be open at once (RLIMIT_NOFILE), and \(fewestDescriptors) are needed"
      throw CleanExit.failure("\(detail): raise `ulimit -n`, or `LimitNOFILE` where systemd starts it")
    }
  }

  /// The memory that the runtime, its threads' stacks and the libraries take before there is a table: with less, an
  /// allocation fails some time later, which ends the process without a word.
  private static let leastMemory: [(resource: __rlimit_resource, name: String, bytes: rlim_t, setting: String)] = [
    (RLIMIT_AS, "RLIMIT_AS", 1_500_000_000, "`ulimit -v`, or `LimitAS`"),
    (RLIMIT_DATA, "RLIMIT_DATA", 500_000_000, "`ulimit -d`, or `LimitDATA`"),
  ]

  private static func checkMemoryLimits() throws {
    for least in leastMemory {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(least.resource.rawValue), &limit) == 0, limit.rlim_cur < least.bytes else {
        continue
      }
      let detail = "the process may have \(limit.rlim_cur) bytes (\(least.name)), and \(least.bytes) are needed"
      throw CleanExit.failure(
        "\(detail): raise \(least.setting) where systemd starts it; a control group's limit may be lower"
      )
    }
  }

  private func openStore() throws -> any Store {
    switch definition.store {
    case .memory: return MemoryStore(history: definition.history, historyBytes: definition.limits.mappingBytes)
    case .sqlite(let path):
      do {
        return try SQLiteStore(path: path, history: definition.history)
      } catch {
        throw CleanExit.failure("\(error)")
      }
    case .postgres(let address):
      do {
        return try PostgresStore(address: address, history: definition.history)
      } catch {
        throw CleanExit.failure("\(error)")
      }
    }
  }

  // MARK: Signals

  /// Further signals change nothing: a supervisor may send one to the process and one to its group.
  private func ended(by number: Int32) {
    let current = state.withLock { state in
      defer { if case .serving = state { state = .ending } }
      return state
    }
    switch current {
    case .starting: Signals.die(of: number)
    case .serving(let end): end()
    case .ending: break
    }
  }

  /// SIGTERM: no new connections, waiting polls answered with what they have, everything written, exit 0; 1 where
  /// something was left undone.
  private func end(_ service: TableService, _ server: Server, _ store: any Store) {
    let step = Mutex("open requests are not finished")
    // Whatever hangs, the process ends when it promised. A log that nobody takes holds up its lines, not the end.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(4900)) { [logger, accessLog] in
      accessLog?.flush(within: .milliseconds(50))
      logger.error("Ended before all was done", metadata: ["reason": "\(step.withLock { $0 })"])
      Self.leave(1)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5000)) { _exit(1) }
    logger.notice("Ending: waiting polls are answered, open requests finished")
    service.drain()
    server.drain(deadline: Self.grace) { [logger, accessLog] in
      step.withLock { $0 = "what was last changed is not written" }
      service.close {
        step.withLock { $0 = "the store is not closed" }
        store.close { result in
          step.withLock { $0 = "the access log is not written" }
          accessLog?.flush(within: .seconds(4))
          if case .failure(let error) = result {
            logger.error("The store was not closed", metadata: ["reason": "\(error)"])
            Self.leave(1)
          }
          logger.notice("Ended")
          Self.leave(0)
        }
      }
    }
  }

  /// Ends the process, whatever other threads are doing: `exit` would take away what these may be using, such as C++'s static objects.
  private static func leave(_ status: Int32) -> Never {
    LineLogHandler.flush(within: .milliseconds(100))
    fflush(nil)
    _exit(status)
  }

  /// SIGHUP: the configuration anew; a bad one is reported and the old one kept. The record of edits is opened anew in any case.
  private func reload(_ service: TableService, _ server: Server, _ store: any Store) {
    if case .ending = state.withLock({ $0 }) { return }
    let (read, diagnostics) = configuration.read()
    for diagnostic in diagnostics { diagnostic.log(to: logger) }
    guard let definition = read else { return refuse("it has mistakes", service) }
    do {
      try waiting { try await service.reload(definition) }
    } catch {
      return refuse("\(error)", service)
    }
    server.allow(definition.crossOrigin)
    (store as? MemoryStore)?.bound(historyBytes: definition.limits.mappingBytes)
    logger.notice("The configuration was read again", metadata: ["tables": .stringConvertible(definition.tables.count)])
    let waiting = definition.keysAwaitingRestart(since: self.definition, isListenGiven: isListenGiven)
    if !waiting.isEmpty {
      logger.warning(
        "Some of what changed in the configuration needs a restart",
        metadata: ["keys": "\(waiting.joined(separator: ", "))"]
      )
    }
  }

  private func refuse(_ reason: String, _ service: TableService) {
    service.reopenAudit()
    logger.error(
      "The configuration is not usable: the old one is kept",
      metadata: ["file": "\(configuration.name)", "reason": "\(reason)"]
    )
  }
}

extension ListenAddress {
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// Takes the command line's text.
  init(argument: String) throws {
    do throws(Mistake) {
      try self.init(parsing: argument)
    } catch {
      throw ValidationError("`\(argument)` is no address and port: \(error.suggestion).")
    }
  }
}

extension ServiceDefinition {
  /// How the server is set up for this service.
  func server(_ listen: ListenAddress) -> HTTPServer.Configuration {
    var server = HTTPServer.Configuration()
    // The server takes addresses alone.
    server.host = listen.host == "localhost" ? "127.0.0.1" : listen.host
    server.port = listen.port
    if let connections = limits.connections { server.limits.connections = connections }
    if let waiters = limits.waiters { server.limits.waiters = waiters }
    server.limits.connectionsPerAddress = limits.connectionsPerAddress
    server.limits.waitersPerAddress = limits.waitersPerAddress
    if let body = limits.requestBody { server.limits.body = body }
    server.crossOrigin = crossOrigin
    server.hosts = hosts
    server.trustedProxies = trustedProxies.compactMap { AddressBlock(bytes: $0.bytes, prefixLength: $0.prefixLength) }
    return server
  }
}

extension ServiceDefinition {
  /// Nil: nothing is said of other origins.
  fileprivate var crossOrigin: HTTPServer.Configuration.CrossOrigin? {
    cors.origins.isEmpty && cors.writes.isEmpty
      ? nil : .init(origins: .init(cors.origins), writes: .init(cors.writes))
  }

  /// True if there is a table whose items can be edited here.
  fileprivate var hasEditableTables: Bool {
    let local = sources.filter { source in
      if case .local = source.kind { true } else { false }
    }
    return tables.contains { table in
      !table.edits.requests.isEmpty || local.contains { $0.name == table.source }
    }
  }
}
