import ArgumentParser
import Configuration
import Definitions
import Discovery
import Foundation
import JSON
import TableMapping
import TableModel
import Upstream

struct Initialize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a configuration for an API.",
    discussion: """
      Fetches the URL and examines the answer: where the list is, which member identifies an item, how to get the next page, \
      and what a cell can show. Further requests test these guesses: a second page, the same list again, one image. The \
      configuration has the evidence beside each guess, and the alternatives as comments. In the end the table is drawn as \
      `render` draws it.

        tablecast init https://api.example.com/issues --output tables.yaml
        tablecast init https://api.example.com/issues --header 'X-Key: …'
        tablecast init answer.json             an answer in a file

      Secrets in headers and in the URL's query are not written into the configuration: it reads them from the environment. \
      Without --output the configuration goes to standard output, and everything else to standard error.
      """
  )

  @Argument(help: "The URL of a list, or a file with an answer (- is standard input).")
  var target: String

  @Option(name: .customLong("header"), help: "A request header: 'NAME: VALUE'. May be repeated.")
  var headers: [String] = []

  @Option(name: .shortAndLong, help: "The file to write. An existing file is replaced only with --force.")
  var output: String?

  @Option(help: "The name of the source and the table. Default: taken from the URL.")
  var name: String?

  @Flag(help: "Replace an existing file.")
  var force = false

  private var isURL: Bool { target.hasPrefix("http://") || target.hasPrefix("https://") }

  func validate() throws {
    _ = try CallerHeaders(arguments: headers)
    guard isURL else {
      if target.contains("://") { throw ValidationError("`\(target)` is no URL of http or https.") }
      if !headers.isEmpty { throw ValidationError("--header is for a URL, and `\(target)` is a file.") }
      return
    }
    guard UpstreamURL(target) != nil else { throw ValidationError("`\(target)` is no URL that can be asked.") }
    if target.drop(while: { $0 != "/" }).dropFirst(2).prefix(while: { $0 != "/" && $0 != "?" }).contains("@") {
      throw ValidationError(
        "A user and password in the URL would get into the configuration: give --header 'Authorization: Basic …'."
      )
    }
  }

  func run() throws {
    if let output, !force, FileManager.default.fileExists(atPath: output) {
      throw CleanExit.failure("\(output) is there already: name another file, or give --force")
    }
    let draft: Draft
    var answer: [UInt8]?
    do {
      if isURL {
        draft = try explore()
      } else {
        let bytes = try Self.read(target)
        var discovery = Discovery(url: nil, name: name ?? Self.name(of: target))
        var read = APIAnswer(url: nil, body: .null)
        answer = try Self.parse(bytes, type: nil, url: nil, from: target, into: &read)
        discovery.receive(read)
        draft = try discovery.draft()
      }
    } catch let failure as Discovery.Failure {
      throw CleanExit.failure("\(target.withoutQuery): \(failure)")
    } catch let error as ExplorationError {
      throw CleanExit.failure("\(error)")
    }
    let service = try read(draft)
    try write(draft)
    try say(try proof(of: draft, service, answer))
  }

  // MARK: Asking

  private func explore() throws -> Draft {
    let fields = try CallerHeaders(arguments: headers).all
    guard let base = UpstreamURL(target) else {
      throw CleanExit.failure("`\(target.withoutQuery)` is no URL that can be asked")
    }
    let client = try TransferClient()
    var discovery = Discovery(url: target, headers: fields, name: name)
    var isFirst = true
    while let request = discovery.next {
      defer { isFirst = false }
      do throws(ExplorationError) {
        discovery.receive(try Self.ask(request, base, fields, client, isFirst: isFirst))
      } catch {
        // Without the first answer there is nothing to look at.
        if isFirst { throw CleanExit.failure("\(error)") }
        discovery.receive(nil)
      }
    }
    return try discovery.draft()
  }

  private static func ask(
    _ request: Discovery.Request,
    _ base: UpstreamURL,
    _ fields: [TransferField],
    _ client: TransferClient,
    isFirst: Bool
  ) throws(ExplorationError) -> APIAnswer {
    let (method, reference) =
      switch request {
      case .get(let reference): ("GET", reference)
      case .head(let reference): ("HEAD", reference)
      }
    guard let url = base.resolve(reference) else {
      throw ExplorationError("`\(reference.withoutQuery)` is no URL that can be asked")
    }
    // Secrets are for the host that they were given for.
    var headers = url.origin == base.origin ? fields : []
    if method == "GET", headers.first(named: "Accept") == nil,
      let accept = TransferField("Accept", "application/json, */*;q=0.5")
    {
      headers.append(accept)
    }
    // The answer may name any host: only that which was given may be inside.
    let isOwn = base.origin.mayShareSecrets(with: url.origin)
    let limits = TransferLimits(timeout: .seconds(20), allowPrivate: isOwn)
    let response: TransferResponse
    do throws(UpstreamError) {
      response = try client.response(to: TransferRequest(method: method, url: url, headers: headers, limits: limits))
    } catch {
      throw ExplorationError("\(error)")
    }
    let answer = APIAnswer(
      url: url.absolute,
      status: response.status,
      headers: response.headers,
      body: .null
    )
    guard method == "GET" else { return answer }
    guard (200..<300).contains(response.status) else {
      // For the first answer this is the reason why there is no table; for another, that it proves nothing.
      guard isFirst else { return answer }
      throw ExplorationError("\(url) answered with \(response.status)\(hint(response.status))")
    }
    var read = answer
    let type = response.headers.first(named: "Content-Type")
    try parse(response.body, type: type, url: response.url, from: url.description, into: &read)
    return read
  }

  private static func hint(_ status: Int) -> String {
    switch status {
    case 401, 403: ": it wants credentials; give them by --header 'Authorization: Bearer …'"
    case 404: ": is the path right?"
    case 429: ": it has been asked too often; wait a little"
    default: ""
    }
  }

  /// - Returns: the answer as JSON.
  @discardableResult
  private static func parse(
    _ bytes: [UInt8],
    type: String?,
    url: UpstreamURL?,
    from place: String,
    into answer: inout APIAnswer
  ) throws(ExplorationError) -> [UInt8] {
    let named = "the answer of \(place)\(type.map { " (\($0))" } ?? "")"
    let readable: ReadableAnswer
    do throws(ReadableAnswer.Failure) {
      readable = try ReadableAnswer(bytes, type: type, url: url)
    } catch {
      throw ExplorationError("\(named) \(error.detail)")
    }
    do throws(JSONError) {
      (answer.body, answer.format) = (try JSONValue(parsing: readable.json), readable.format)
    } catch {
      throw ExplorationError("\(named) is no JSON: \(error)")
    }
    return readable.json
  }

  private static func read(_ path: String) throws -> [UInt8] {
    let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    guard let file, let data = try? file.read(upToCount: maximumBytes + 1) else {
      throw CleanExit.failure("\(path) can't be read")
    }
    guard data.count <= maximumBytes else { throw CleanExit.failure("\(path) has more than \(maximumBytes >> 20) MB") }
    return Array(data)
  }

  private static let maximumBytes = 32 << 20

  private static func name(of path: String) -> String? {
    path == "-" ? nil : URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  // MARK: The configuration and its proof

  /// The configuration, as the service reads it.
  private func read(_ draft: Draft) throws -> ServiceDefinition {
    let environment = ProcessInfo.processInfo.environment.merging(draft.environment) { $1 }
    let file = output ?? "the configuration"
    let (service, diagnostics) = ConfigurationReader.read(text: draft.yaml, file: file, environment: environment)
    guard let service else {
      throw CleanExit.failure(
        "what was found out can't be read, which is a mistake of this program:\n\(diagnostics.rendered(inColor: false))"
      )
    }
    return service
  }

  private func write(_ draft: Draft) throws {
    guard let output else { return try show(draft.yaml) }
    do {
      try Data(draft.yaml.utf8).write(to: URL(fileURLWithPath: output), options: force ? .atomic : .withoutOverwriting)
    } catch {
      throw CleanExit.failure("\(output) can't be written: \(error.localizedDescription)")
    }
  }

  private func say(_ text: String) throws {
    guard output == nil else { return try show(text) }
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// The table, mapped as the service maps it, the doubts, and what to do next.
  private func proof(of draft: Draft, _ service: ServiceDefinition, _ answer: [UInt8]?) throws -> String {
    guard let table = service.tables.first, let source = service.sources.first else { return ending(draft) }
    var content: SourceContent
    if !draft.elements.isEmpty {
      content = .items(draft.elements.map { SourceItem(bytes: $0.bytes) })
    } else if let answer {
      content = .pages([answer])
    } else if case .upstream(var upstream) = source.kind {
      upstream.paging?.maxPages = Self.pagesOfProof
      do throws(UpstreamError) {
        content = try Render.fetch(source.name, upstream, FetchContext(environment: service.environment)).content
      } catch {
        // The written file is as good as it was: the API has answered before.
        let reason = "\(error.title): \(error.detail)"
        return ending(draft, "the table is not drawn, as the list could not be fetched once more: \(reason)")
      }
    } else {
      content = .items([])
    }
    let isTruncated = content.isTruncated
    content.isTruncated = false
    let mapper = try service.mapper(of: table)
    var result = mapper.map([source.name: content], variables: MappingVariables(environment: service.environment))
    let rows = result.sections.reduce(0) { $0 + $1.rows.count }
    let skipped = result.skippedItems
    let unplaced = result.unplaced().count
    let read = rows + skipped + unplaced
    result.keepFirst(8)
    var text = RenderedTable.text(result, of: rows, inColor: output != nil && isatty(1) == 1)
    text += "\n\(read)\(total(draft, read)) items read: \(rows) rows, \(skipped + unplaced) without one"
    text += isTruncated ? "; there are further pages, which the service reads\n" : "\n"
    let unmapped = skipped > 0 ? "items without a row: \(skipped), for the reasons below the table" : nil
    let unsectioned = unplaced > 0 ? "items that no section takes: \(unplaced)" : nil
    return text + ending(draft, shortage(draft, read: read, isTruncated), unmapped, unsectioned)
  }

  /// The doubts, those of the proof first, and the command that serves the table.
  private func ending(_ draft: Draft, _ doubts: String?...) -> String {
    (doubts.compactMap(\.self) + draft.doubts).map { "Unsure: \(TerminalText.oneLine($0))\n" }.joined() + command(draft)
  }

  /// Enough to see that they follow each other; the API is somebody else's.
  private static let pagesOfProof = 5

  /// Pages that were proved, and end before all is there.
  private func shortage(_ draft: Draft, read: Int, _ isTruncated: Bool) -> String? {
    guard let total = draft.total, total > read, draft.isPaged, !isTruncated else { return nil }
    return
      "\(total) items are said to be there, and the pages end after \(read): with `total` in `paging` the table says so"
  }

  private func total(_ draft: Draft, _ read: Int) -> String {
    draft.total.map { $0 > read ? " of \($0)" : "" } ?? ""
  }

  /// A path as a shell takes it.
  private static func quoted(_ path: String) -> String {
    let isPlain =
      !path.isEmpty
      && path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
    return isPlain ? path : "'\(path.replacingOccurrences(of: "'", with: "'\\''"))'"
  }

  private func command(_ draft: Draft) -> String {
    let variables = draft.environment.keys.sorted().map { "\($0)=… " }.joined()
    let decoded = draft.decoded.sorted().map { "\($0) is the value without percent-encoding: + for %2B\n" }.joined()
    guard let output else {
      return "\(decoded)Write it to a file, and serve it: \(variables)tablecast serve --config FILE\n"
    }
    return "\(decoded)Serve it: \(variables)tablecast serve --config \(Self.quoted(output))\n"
  }
}

/// The reason why an answer can't be looked at.
private struct ExplorationError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

extension String {
  /// The part of a URL that holds no secret.
  fileprivate var withoutQuery: String { String(prefix { $0 != "?" }) }
}

extension TransferClient {
  /// Sends a request and waits for its response.
  fileprivate func response(to request: TransferRequest) throws(UpstreamError) -> TransferResponse {
    let arrival = Arrival<Result<TransferResponse, UpstreamError>>()
    send(request) { arrival.set($0) }
    guard let response = arrival.wait() else {
      throw UpstreamError(.interrupted, title: "No response", detail: "none came")
    }
    return try response.get()
  }
}
