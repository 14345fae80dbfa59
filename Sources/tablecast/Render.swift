import ArgumentParser
import Definitions
import Discovery
import Expressions
import Foundation
import JSON
import TableMapping
import TableModel
import TablecastClient
import Upstream

struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draw a table without a server.",
    discussion: """
      Fetches the table's sources once, unless --item or --response gives the items. Items without a row are listed, too, with \
      the reasons.
      """
  )

  @Option(name: .shortAndLong, help: "The configuration, a YAML file.")
  var config: String

  @Option(name: .shortAndLong, help: "The table.")
  var table: String

  @Option(help: "A JSON file with one item of the table's source.")
  var item: String?

  @Option(help: "A JSON file with a response of the table's source.")
  var response: String?

  @Option(help: "A parameter of the table: NAME=VALUE. May be repeated.")
  var parameter: [String] = []

  @Option(help: "A header of the caller's request, for `forward`: 'NAME: VALUE'. May be repeated.")
  var header: [String] = []

  @Option(help: "One of the configuration's `locales`. Default: the first one.")
  var locale: String?

  @Option(help: "Draw only the first rows: 1 to 10000.")
  var rows: Int?

  @Option(help: "Draw the result of a search: 'q=TEXT&filter=ID:VALUE&sort=ID', or some of these.")
  var find: String?

  @Flag(help: "Print JSON: the sections that clients get, and the items without a row.")
  var json = false

  @Flag(help: "Draw again whenever the configuration, the item or the response changes.")
  var watch = false

  func validate() throws {
    if item != nil, response != nil { throw ValidationError("Give --item or --response, not both.") }
    if let rows, !(1...10_000).contains(rows) { throw ValidationError("--rows is 1 to 10000, not \(rows).") }
    _ = try CallerHeaders(arguments: header)
    _ = try Self.pairs(parameter)
    if let find { _ = try TableSearch(argument: find) }
  }

  func run() throws {
    guard watch else { return try draw() }
    let files = [config, item, response].compactMap { $0 }
    var last: [Date?]?
    while true {
      let modified = files.map { file in
        try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      }
      if modified != last {
        last = modified
        if isatty(1) == 1 { try show("\u{1B}[2J\u{1B}[H") }
        // A mistake is shown by whoever found it; the next change draws again.
        try? draw()
      }
      Thread.sleep(forTimeInterval: 0.25)
    }
  }

  private func draw() throws {
    let service = try ServiceConfiguration.file(config).definition()
    guard let definition = service.tables.first(where: { $0.name == table }) else {
      let names = service.tables.map(\.name).joined(separator: ", ")
      throw CleanExit.failure("\(config) has no table `\(table)`: \(names) are there")
    }
    let mapper = try service.mapper(of: definition)
    let parameters: [String: String]
    do {
      parameters = try definition.parameterValues(for: try Self.pairs(parameter))
    } catch let error as ParameterError {
      throw CleanExit.failure(error.message)
    }
    if let locale, !service.locales.contains(locale) {
      throw CleanExit.failure(
        service.locales.isEmpty
          ? "\(config) has no `locales`: its tables are in no language"
          : "\(config) has no locale `\(locale)`: \(service.locales.joined(separator: ", ")) are there"
      )
    }
    let headers = try CallerHeaders(arguments: header)
    for name in headers.names where !definition.forward.contains(where: { $0.lowercased() == name.lowercased() }) {
      throw CleanExit.failure("table `\(table)` forwards no header `\(name)`: name it under `forward`")
    }
    let (contents, shortfalls, lacksLookup) = try contents(of: mapper, definition, service, parameters, headers)
    let variables = MappingVariables(
      parameters: parameters,
      environment: service.environment,
      locale: locale ?? service.locales.first
    )
    var result = mapper.map(contents, variables: variables)
    let menu = try find.map { find in
      try RenderedFind(mapper, variables).keep(TableSearch(argument: find), of: &result)
    }
    let total = result.sections.reduce(0) { $0 + $1.rows.count }
    if let rows { result.keepFirst(rows) }
    try show(
      json
        ? RenderedTable.json(result, of: total, definition, menu, shortfalls)
        : RenderedTable.text(result, of: total, shortfalls, inColor: isatty(1) == 1) + RenderedFind.text(menu)
    )
    if !result.problems.isEmpty || lacksLookup { throw ExitCode(1) }
  }

  private static func pairs(_ arguments: [String]) throws -> [String: String] {
    try arguments.reduce(into: [:]) { result, argument in
      // A value may be empty.
      let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, !pair[0].isEmpty else { throw ValidationError("`\(argument)` is not NAME=VALUE.") }
      guard result[String(pair[0])] == nil else { throw ValidationError("The parameter `\(pair[0])` stands twice.") }
      result[String(pair[0])] = String(pair[1])
    }
  }

  // MARK: Contents

  /// - Returns: what the sources say, which of them say that they have more, and whether a lookup's source has failed.
  private func contents(
    of mapper: TableMapper,
    _ table: TableDefinition,
    _ service: ServiceDefinition,
    _ parameters: [String: String],
    _ headers: CallerHeaders
  ) throws -> (contents: [String: SourceContent], shortfalls: [Shortfall], lacksLookup: Bool) {
    var contents: [String: SourceContent] = [:]
    var shortfalls: [Shortfall] = []
    var lacksLookup = false
    for name in mapper.sources {
      let kind = service.sources.first { $0.name == name }?.kind
      if name == table.source, let item {
        contents[name] = .items([try Self.item(item, of: kind)])
      } else if name == table.source, let response {
        contents[name] = .pages([try Self.bytes(response)])
      } else {
        switch kind {
        case .local(let local)?:
          contents[name] = .items(local.items.enumerated().map { SourceItem(id: "\($0 + 1)", bytes: $1.bytes) })
        case .upstream(let upstream)?:
          let context = FetchContext(
            parameters: parameters,
            environment: service.environment,
            forwarded: headers.fields(named: table.forwardToAll + upstream.forward)
          )
          do throws(UpstreamError) {
            let fetched = try Self.fetch(name, upstream, context)
            contents[name] = fetched.content
            fetched.shortfall.map { shortfalls.append($0) }
          } catch {
            let failure = CleanExit.failure("source `\(name)`: \(error.title): \(error.detail)")
            // As in the service, rows show nothing of a lookup that has not answered.
            guard !mapper.sectionSources.contains(name) else { throw failure }
            lacksLookup = true
          }
        case nil: break
        }
      }
    }
    return (contents, shortfalls, lacksLookup)
  }

  /// The item in a file. The service gives an identity to items of its own, and to no others.
  private static func item(_ path: String, of kind: SourceDefinition.Kind?) throws -> SourceItem {
    let bytes = try bytes(path)
    guard case .local? = kind else { return SourceItem(bytes: bytes) }
    switch try? JSONValue(parsing: bytes) {
    case .object?, nil: return SourceItem(id: "1", bytes: bytes)
    case .null?, .bool?, .integer?, .unsigned?, .double?, .string?, .array?:
      throw CleanExit.failure("\(path) has no item of a local source: an object is expected")
    }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CleanExit.failure("\(path) can't be read")
    }
    return Array(data)
  }

  /// Fetches a source once.
  ///
  /// - Returns: what it has, and whether it says that there is more.
  static func fetch(
    _ name: String,
    _ upstream: UpstreamDefinition,
    _ context: FetchContext
  ) throws(UpstreamError) -> (content: SourceContent, shortfall: Shortfall?) {
    let arrival = Arrival<SourceUpdate>()
    let source = Source(
      name: name,
      definition: upstream,
      context: context,
      client: try TransferClient(),
      onNotice: { notice in
        // That the rows are not all that there are is what whoever looks at them has to know.
        guard notice.isWarning else { return }
        let line = TerminalText.oneLine("source `\(name)`: \(notice)")
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
      }
    ) { arrival.set($0) }
    source.start()
    let update = arrival.wait()
    source.stop()
    switch update {
    case .content(let content)?:
      var source: SourceContent
      switch content.form {
      case .pages(let pages): source = .pages(pages, lists: content.lists)
      case .items(let items): source = .items(items.map { SourceItem(bytes: $0) })
      }
      source.isTruncated = content.isTruncated
      return (source, Shortfall(name, content, upstream, context))
    case .failed(let error)?: throw error
    case .unchanged?, nil: return (.items([]), nil)
    }
  }
}
