import ArgumentParser
import Foundation
import TablecastClient
import TablecastCurl

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a table of a service in the terminal, live.",
    discussion: """
      Arrow keys choose a row, space taps it, r makes the service fetch the sources, m loads more rows, q quits. With --json \
      the command prints a line for each state: {"table","cursor","state","connection","sections","window"}. `connection` is \
      cached, live, retrying, paused or refused. With --find a state also has "find": the search that the table offers. If the \
      service refuses the table or the search, or the output can't be written, the exit code is 1.
      """
  )

  @Argument(help: "The service's address, such as http://127.0.0.1:8080.")
  var url: String

  @Argument(help: "The table's name.")
  var table: String

  @Option(name: .customLong("param"), help: "A parameter of the table: NAME=VALUE. May be repeated.")
  var parameters: [String] = []

  @Option(help: "The name of a view, which has its own expanded rows.")
  var view: String?

  @Option(help: "The rows to show: a number (1 to 10000), or a range that counts from 0, such as 100-149.")
  var rows: String?

  @Option(help: "Show the result of a search: 'q=TEXT&filter=ID:VALUE&sort=ID', or some of these.")
  var find: String?

  @Option(help: "The cells to accept, such as 'TitleCell,PollCell;v=2'. Other rows come as their fallbacks.")
  var cells: String?

  @Option(help: "The token for every request.")
  var token: String?

  @Option(help: "A folder that keeps the last state, for the next start.")
  var store: String?

  @Option(help: "The number of seconds after which the command ends.")
  var seconds: Double?

  @Flag(help: "Print a line of JSON for each state.")
  var json = false

  func validate() throws {
    guard serviceURL != nil else { throw ValidationError("`\(url)` is no URL: http://HOST:PORT is one.") }
    for parameter in parameters where !parameter.contains("=") {
      throw ValidationError("`--param \(parameter)` has no `=`: NAME=VALUE is a parameter.")
    }
    if rows != nil, window == nil {
      throw ValidationError(
        "--rows is a number from 1 to 10000, or FIRST-LAST, such as 100-149, with 10000 rows at most."
      )
    }
    if let find { _ = try TableSearch(argument: find) }
    if let seconds, !(seconds >= 0) { throw ValidationError("--seconds is a number of seconds.") }
  }

  func run() throws {
    guard let url = serviceURL else { return }
    let client = TablecastClient(url: url, cells: AnyCell.self, options: try options())
    let (name, members) = address
    let view = view ?? defaultView
    let table =
      window.map { client.table(name, parameters: members, view: view, window: $0) }
      ?? client.table(name, parameters: members, view: view)
    if let find { table.find(try TableSearch(argument: find)) }
    let display: any WatchDisplay = json ? WatchLines() : WatchScreen(table)
    let session = WatchSession(client, table, display)
    throw ExitCode(try session.run(seconds: seconds))
  }

  /// The rows that are asked for; nil where they are all, or none that can be.
  private var window: ClosedRange<Int>? {
    let parts = (rows ?? "").split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.filter { $0.utf8.allSatisfy { (48...57).contains($0) } }.compactMap { Int($0) }
    guard numbers.count == parts.count else { return nil }
    switch numbers.count {
    case 1: return (1...10_000).contains(numbers[0]) ? 0...(numbers[0] - 1) : nil
    case 2: return numbers[0] <= numbers[1] && numbers[1] - numbers[0] < 10_000 ? numbers[0]...numbers[1] : nil
    default: return nil
    }
  }

  private var serviceURL: URL? {
    guard let url = URL(string: url), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
      return nil
    }
    return url
  }

  private func options() throws -> ClientOptions {
    var options = ClientOptions()
    options.transport = try CurlTransport()
    options.acceptedCells = cells.map { $0.split(separator: ",").joined(separator: ", ") }
    if let token {
      options.token = { _ in token }
      options.caller = token
    }
    options.store = store.map { DirectoryStore(URL(fileURLWithPath: $0, isDirectory: true)) }
    return options
  }

  /// A member may be named as the service names it, too: `issues;state=open`, with percent-encoding.
  private var address: (name: String, parameters: [String: String]) {
    let parts = table.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    var members: [String: String] = [:]
    for part in parts.dropFirst() {
      let (name, value) = Self.halves(of: part)
      members[name.removingPercentEncoding ?? name] = value.removingPercentEncoding ?? value
    }
    for parameter in parameters {
      let (name, value) = Self.halves(of: parameter)
      members[name] = value
    }
    return (parts[0], members)
  }

  private static func halves(of pair: String) -> (name: String, value: String) {
    let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (halves[0], halves.count == 2 ? halves[1] : "")
  }

  /// In a terminal a tap is for this screen alone.
  private var defaultView: String? { json ? nil : "watch-\(UInt32.random(in: 0 ... .max))" }
}

extension TableSearch {
  /// As `--find` says it.
  init(argument: String) throws {
    do { try self.init(query: argument) } catch let error as MalformedReply {
      throw ValidationError("--find: \(error.description).")
    }
  }
}
