internal import JSON
internal import Upstream

/// All that was found out about an API, and the configuration that comes of it.
struct Findings {
  let url: String?
  let headers: [TransferField]
  let name: String
  let answer: APIAnswer
  let lists: [ItemList]
  let items: [JSONValue]
  let element: String?
  let identity: IdentityGuess
  let otherIdentities: [IdentityGuess]
  let paging: (guess: PagingGuess, proof: String)?
  let unproved: [(guess: PagingGuess, reason: String)]
  /// Blind tries for a second page, by the reason why they failed.
  let blind: [(reason: String, tries: [String])]
  let cell: CellGuess
  let sections: [SectionGuess]
  let fields: [Field]
  var doubts: [String]

  private var list: ItemList { lists[0] }

  func draft() -> Draft {
    var doubts = doubts
    var writer = DraftWriter(name: name, title: SourceName.title(name))
    var secrets = Secrets(for: name)
    let total = answer.total(without: list)
    let place = url.map { $0.prefix { $0 != "?" && $0 != "#" } } ?? "a file"
    let count = items.count == 1 ? "1 item" : "\(items.count.grouped) items"
    writer.comment(0, "Written by `tablecast init` from \(place), by \(count).")
    writer.comment(0, "The evidence is beside each guess. Alternatives are comments.")
    write(source: &writer, &secrets, total, &doubts)
    write(cells: &writer)
    write(table: &writer)
    if let order { writer.comment(0, order) }
    return Draft(
      yaml: writer.text,
      table: name,
      environment: secrets.environment,
      decoded: secrets.decoded,
      doubts: doubts,
      elements: element == nil ? [] : items,
      isPaged: paging != nil,
      total: total?.count
    )
  }

  // MARK: The source

  private func write(
    source writer: inout DraftWriter,
    _ secrets: inout Secrets,
    _ total: (place: String, count: Int)?,
    _ doubts: inout [String]
  ) {
    writer.write(0, "sources:")
    writer.write(1, "\(name):")
    if let url {
      writer.write(2, "url: \(DraftWriter.scalar(secrets.url(url)))")
    } else {
      writer.write(
        2,
        "url: https://api.example.com/\(name)",
        "not known, as the answer came from a file: write the API's own here"
      )
      doubts.append("the URL is not known: write it into the configuration")
    }
    if !headers.isEmpty {
      writer.write(2, "headers:")
      for header in joinedHeaders {
        writer.write(
          3,
          "\(DraftWriter.scalar(header.name)): \(DraftWriter.scalar(secrets.header(header.name, header.value)))"
        )
      }
    }
    if let format = answer.format { writer.write(2, "format: \(format)", "by its type, and by a look at it") }
    let freshness = Freshness(answer, requests: requests(total?.count))
    writer.write(2, "every: \(freshness.every)", freshness.evidence)
    if let expression = list.expression {
      writer.write(2, "items: \(DraftWriter.scalar("${\(expression)}"))", list.description)
    } else {
      writer.comment(2, list.description)
    }
    for other in lists.dropFirst().prefix(2) where !other.items.isEmpty {
      writer.comment(2, "items: ${\(other.expression ?? "$response")}  # \(other.description)")
    }
    if let element {
      var url = element
      if let own = self.url?.prefix(while: { $0 != "?" }), element.hasPrefix(own.prefix(8)) {
        url = secrets.elementURL(element)
      }
      writer.write(2, "each: {url: \(DraftWriter.quoted(url))}", "the first of them gives an object")
    }
    writePaging(&writer, total, &doubts)
  }

  /// Each name once: fields of one name are one list (RFC 9110 §5.3).
  private var joinedHeaders: [(name: String, value: String)] {
    var joined: [(name: String, value: String)] = []
    for header in headers {
      let name = header.name.lowercased()
      if let place = joined.firstIndex(where: { $0.name.lowercased() == name }) {
        joined[place].value += (name == "cookie" ? "; " : ", ") + header.value
      } else {
        joined.append((header.name, header.value))
      }
    }
    return joined
  }

  /// The number of requests of a refresh, as far as is known; not more than `each` and `paging` make where nothing
  /// else is configured.
  private func requests(_ total: Int?) -> Int {
    if element != nil { return 1 + min(list.items.count, 500) }
    guard paging != nil, let total, total > 0, !list.items.isEmpty else { return 1 }
    return min((total - 1) / list.items.count + 1, 100)
  }

  private func writePaging(_ writer: inout DraftWriter, _ total: (place: String, count: Int)?, _ doubts: inout [String])
  {
    if let paging {
      writer.write(2, "paging: \(paging.guess.yaml)", "\(paging.guess.evidence); proved: \(paging.proof)")
    }
    var said: Set<String> = []
    for (guess, reason) in unproved where said.insert(guess.yaml).inserted {
      writer.comment(2, "paging: \(guess.yaml)  # \(guess.evidence); not proved: \(reason)")
    }
    if paging == nil, unproved.isEmpty, !blind.isEmpty {
      let tried = blind.map { "\($0.tries.joined(separator: ", ")): \($0.reason)" }
      writer.comment(2, "no further pages were found; tried: \(tried.joined(separator: "; "))")
      // The usual sizes of pages.
      let isRound = list.items.count % 10 == 0 || list.items.count % 25 == 0
      if total == nil, isRound {
        doubts.append(
          "the list may go on: \(list.items.count.grouped) items are a round number, and no way to further ones was found"
        )
      }
    }
    if let total {
      writer.comment(2, "\(total.place) says \(total.count.grouped) in all")
      let seen = list.items.count
      if paging == nil, total.count > seen, element == nil {
        doubts.append(
          "\(total.place) says that there are \(total.count.grouped) items, the answer has \(seen.grouped), and no way to the others was proved"
        )
      }
    } else if paging == nil, let (guess, reason) = unproved.first {
      doubts.append("there may be further pages (\(guess.evidence)): not proved, as \(reason)")
    }
  }

  // MARK: Cells

  private var cellName: String { cell.hasImage ? "TableViewCellWithImageAndLabel" : "TableViewCellWithLabel" }

  private func write(cells writer: inout DraftWriter) {
    writer.write(0, "cells:")
    if !sections.isEmpty {
      writer.write(1, "SectionTitle:")
      writer.write(2, "fields: {title: string}")
    }
    writer.write(1, "\(cellName):")
    writer.write(2, "fields:")
    for part in [cell.title] + cell.others { writer.write(3, "\(part.name): \(part.type)") }
  }

  // MARK: The table

  private func write(table writer: inout DraftWriter) {
    writer.write(0, "tables:")
    writer.write(1, "\(name):")
    writer.write(2, "title: \(DraftWriter.scalar(writer.title))")
    writer.write(2, "source: \(name)")
    writer.write(2, "row:")
    writer.write(3, "id: \(DraftWriter.quoted(identity.template))", identity.evidence)
    for other in otherIdentities { writer.comment(3, "id: \(DraftWriter.quoted(other.template))  # \(other.evidence)") }
    writer.write(2, "cell: \(cellName)")
    writer.write(2, "payload:")
    for part in [cell.title] + cell.others {
      writer.write(3, "\(part.name): \(DraftWriter.quoted(part.value))", part.evidence)
      for other in part.runnersUp { writer.comment(3, "\(part.name): \(DraftWriter.quoted(other))") }
    }
    if let section = sections.first {
      writer.write(2, "sections:")
      writer.write(3, "groupBy: \(DraftWriter.scalar(section.path.expression))", section.evidence)
      for other in sections.dropFirst().prefix(2) {
        writer.comment(3, "groupBy: \(other.path.expression)  # \(other.evidence)")
      }
      writer.write(3, "header: {cell: SectionTitle, payload: {title: \"${$key} (${$count})\"}}")
    }
    FindGuess(fields, cell: cell).write(&writer)
  }

  /// By what the upstream has sorted the list, as far as can be seen.
  private var order: String? {
    guard items.count > 2 else { return nil }
    let sorted = fields.filter { field in
      field.isScalar && field.isAlwaysThere && field.distinct.count * 2 > field.items && (field.rises != field.falls)
    }
    let speaking = sorted.first { $0.isNumber || $0.isMostly(.moment) || $0.isMostly(.day) }
    guard let field = speaking ?? sorted.first(where: { !$0.isMostly(.url) }) else { return nil }
    return "Rows come in the upstream's order: `\(field.path.description)` \(field.rises ? "rises" : "falls") in it."
  }
}

extension Secrets {
  /// The URL of an item, in which `${$item}` is meant as it stands.
  mutating func elementURL(_ url: String) -> String {
    self.url(url.replacing("${$item}", with: "\u{1}")).replacing("\u{1}", with: "${$item}")
  }
}
