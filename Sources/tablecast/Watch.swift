import ArgumentParser
import Foundation
import TablecastClient
import TablecastCurl

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a table of a service, live.",
    discussion: """
      In a terminal: arrows choose a row, space taps it, r has the sources fetched, q quits. With --json a line for each \
      state that is shown: {"table","cursor","state","connection","sections","window"}, rows as they come; `connection` \
      is cached, live, retrying, paused or refused. With --find a state has "find", too: what there is to be found by. A \
      table that the service refuses, or a search, ends the program with 1.
      """
  )

  @Argument(help: "Where the service is, such as http://127.0.0.1:8080.")
  var url: String

  @Argument(help: "The table's name.")
  var table: String

  @Option(name: .customLong("param"), help: "A parameter of a family of tables, NAME=VALUE; more than once.")
  var parameters: [String] = []

  @Option(help: "The name of a view: which rows are expanded in it.")
  var view: String?

  @Option(help: "Show so many rows at first, 1 to 10000, or those from one to another, counted from 0: 100-149.")
  var rows: String?

  @Option(help: "Show what is found: 'q=TEXT&filter=ID:VALUE&sort=ID', each part where it is wanted.")
  var find: String?

  @Option(help: "The cells that are taken, such as TitleCell,PollCell;v=2: others come as their fallbacks.")
  var cells: String?

  @Option(help: "A token to be sent with every request.")
  var token: String?

  @Option(help: "A folder in which the last state is kept, to be shown at the next start.")
  var store: String?

  @Option(help: "End after so many seconds.")
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
    throw ExitCode(session.run(seconds: seconds))
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

  /// A member may be named as the service names it, too: `issues;state=open`.
  private var address: (name: String, parameters: [String: String]) {
    let parts = table.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    var members: [String: String] = [:]
    for pair in parts.dropFirst() + parameters {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      members[halves[0]] = halves.count == 2 ? halves[1] : ""
    }
    return (parts[0], members)
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
