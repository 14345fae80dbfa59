public import JSON
internal import Upstream

/// A way in which further pages may be asked for.
struct PagingGuess: Sendable, Equatable {
  /// The value of `paging:`, a YAML flow mapping: `{link: true}`.
  var yaml: String
  /// The part of the answer that suggests it.
  var evidence: String
  /// The second page: a reference relative to the URL that was asked; nil where it can't be asked for.
  var secondPage: String?
  /// Nothing in the answer speaks for it: it is a try.
  var isBlind = false
}

extension PagingGuess {
  /// All ways for which something in the first answer speaks, then those that can only be tried.
  static func candidates(_ answer: APIAnswer, list: ItemList) -> [PagingGuess] {
    var found: [PagingGuess] = []
    if let next = answer.headers.list(named: "Link").flatMap(LinkHeader.next) {
      found.append(
        PagingGuess(yaml: "{link: true}", evidence: "the answer has `Link: …; rel=\"next\"`", secondPage: next)
      )
    }
    for name in ["Next-Page", "X-Next-Page-Url"] {
      if let next = answer.headers.first(named: name), next.hasPrefix("http") || next.hasPrefix("/") {
        found.append(PagingGuess(yaml: "{header: \(name)}", evidence: "the answer has `\(name)`", secondPage: next))
      }
    }
    let members = Surroundings(answer.body, without: list)
    found += nextURLs(members)
    found += cursors(members, answer, list)
    found += numbered(members, answer, list)
    return found
  }

  // MARK: By a URL

  private static let nextNames: Set<String> = [
    "next", "next_url", "nexturl", "next_page_url", "nextpageurl", "next_page", "nextpage", "nextlink",
    "@odata.nextlink",
    "odata.nextlink", "next_link", "nexthref", "next_href", "nextrecordsurl",
  ]

  private static func nextURLs(_ members: Surroundings) -> [PagingGuess] {
    members.values.compactMap { path, value in
      var names = path.names
      if let last = names.last?.lowercased(), ["href", "url"].contains(last) { names.removeLast() }
      guard let name = names.last?.lowercased(), nextNames.contains(name), let next = value.text,
        next.hasPrefix("http") || next.hasPrefix("/") || next.hasPrefix("?") || !next.isEmpty && isOfURLs(path.last)
      else { return nil }
      return PagingGuess(
        yaml: "{nextUrl: \(DraftWriter.quoted("${\(path.expression)}"))}",
        evidence: "`\(path.description)` of the answer is a URL",
        secondPage: next
      )
    }
  }

  /// A member whose name says URL may have any reference, `things?page=2`; what is called `next` may be a cursor.
  private static func isOfURLs(_ name: String) -> Bool {
    ["url", "link", "href"].contains { name.lowercased().contains($0) }
  }

  // MARK: By a cursor

  /// By what members are called, in lower case and without `_` and `-`: by which parameters APIs that call it so are asked.
  private static let cursorParameters: [String: [String]] = [
    "nextcursor": ["cursor", "start_cursor"], "cursor": ["cursor"], "nextpagetoken": ["pageToken", "page_token"],
    "nexttoken": ["nextToken", "next_token", "pagination_token"],
    "pagetoken": ["pageToken"], "after": ["after"], "endcursor": ["after", "cursor"],
    "continuationtoken": ["continuationToken"],
    "continue": ["continue"], "nextmaxid": ["max_id"], "bookmark": ["bookmark"], "marker": ["marker"],
    "nextmarker": ["marker"],
    "offset": ["offset"], "nextoffset": ["offset"], "nextpage": ["page", "cursor"], "scrollid": ["scroll_id"],
    "nextpagecursor": ["cursor"],
    "next": ["cursor", "after", "next"], "nextpageid": ["page_id"], "cursormark": ["cursorMark"],
    "nextcursormark": ["cursorMark"],
  ]

  private static func cursors(_ members: Surroundings, _ answer: APIAnswer, _ list: ItemList) -> [PagingGuess] {
    var found: [PagingGuess] = []
    for (path, value) in members.values {
      let name = path.plainLast
      guard let parameters = cursorParameters[name] else { continue }
      let cursor: String
      switch value {
      case .string(let text) where !text.isEmpty && !text.hasPrefix("http") && !text.hasPrefix("/"): cursor = text
      // A number under these names may be this page's own.
      case .integer(let number) where name.hasPrefix("next"): cursor = String(number)
      default: continue
      }
      let more = members.more(for: path)
      // The cursor of the last page may be there still.
      if more?.isTrue == false { continue }
      let expression = more.map { "\($0.path.expression) ? \(path.expression) : null" } ?? path.expression
      // Last the member's own name: Jira's `nextPageToken`.
      for parameter in parameters + (parameters.contains(path.last) ? [] : [path.last]) {
        found.append(
          PagingGuess(
            yaml:
              "{cursor: \(DraftWriter.quoted("${\(expression)}")), parameter: \(Query.quoted(parameter))}",
            evidence: "`\(path.description)` of the answer is a cursor",
            secondPage: answer.url(replacing: parameter, with: cursor),
            isBlind: !parameters.contains(parameter)
          )
        )
      }
    }
    // Stripe's way: the last item's identity, for as long as there is more.
    if let more = members.values.first(where: { $0.0.last.lowercased() == "has_more" && $0.1 == .bool(true) }),
      found.isEmpty, list.kind == .objects, let last = list.items.last?["id"]?.identityText
    {
      let items = list.expression ?? "$item"
      let cursor = DraftWriter.quoted("${\(more.0.expression) ? (\(items) | last).id : null}")
      found.append(
        PagingGuess(
          yaml: "{cursor: \(cursor), parameter: starting_after}",
          evidence: "`\(more.0.description)` is true; the last item's id may name the next page",
          secondPage: answer.url(replacing: "starting_after", with: last)
        )
      )
    }
    return found
  }

  // MARK: By a number

  private static func numbered(_ members: Surroundings, _ answer: APIAnswer, _ list: ItemList) -> [PagingGuess] {
    guard !list.items.isEmpty, list.kind != .entries else { return [] }
    let query = answer.url.map(Query.pairs) ?? []
    func seen(_ names: Set<String>) -> (name: String, value: Int)? {
      if let pair = query.first(where: { names.contains(MemberPath.plain($0.name)) }), let number = Int(pair.value) {
        return ("`\(pair.name)` in the URL", number)
      }
      for (path, value) in members.values where names.contains(path.plainLast) {
        if let number = value.count { return ("`\(path.description)` of the answer", number) }
      }
      return nil
    }
    let isFull = [10, 12, 15, 16, 20, 24, 25, 30, 40, 48, 50, 60, 64, 96, 100, 200, 250, 256, 300, 400, 500, 1000]
      .contains(list.items.count)
    let sizes = seen([
      "perpage", "pagesize", "limit", "size", "itemsperpage", "maxresults", "hitsperpage", "resultsperpage",
    ])
    let size = sizes?.value == list.items.count ? ", size: \(list.items.count)" : ""
    var found: [PagingGuess] = []
    let page = seen(["page", "currentpage", "pagenumber", "pageindex", "number"])
    let pages = seen(["totalpages", "pages", "lastpage", "pagecount", "numpages", "nbpages"]) ?? answer.totalPages
    if let said = page ?? pages, (pages?.value ?? 2) > 1 {
      let start = page?.value == 0 ? 0 : 1
      found += pageParameters(query, members).enumerated().map { place, name -> PagingGuess in
        let number = Query.number(name, in: query) ?? start
        return PagingGuess(
          yaml: "{page: {parameter: \(Query.quoted(name))\(start == 0 ? ", start: 0" : "")\(size)}}",
          evidence: "\(said.name) is \(said.value)",
          secondPage: answer.url(replacing: name, with: String(number + 1)),
          isBlind: place > 0
        )
      }
    }
    found += offsets(seen(["offset", "start", "startat", "skip", "from", "startindex"]), query, answer, list)
    let total = answer.total(without: list)?.count
    guard found.isEmpty, answer.url != nil, isFull || (total ?? 0) > list.items.count else { return found }
    let evidence =
      total.map { "\($0.grouped) items are said to be there" } ?? "\(list.items.count) items are a round number"
    return tries(query).map { name -> PagingGuess in
      let isPage = name.lowercased().contains("page")
      let number = Query.number(name, in: query) ?? (isPage ? 1 : 0)
      return PagingGuess(
        yaml: isPage
          ? "{page: {parameter: \(Query.quoted(name))\(size)}}"
          : "{offset: {parameter: \(Query.quoted(name)), size: \(list.items.count)}}",
        evidence: evidence,
        secondPage: answer.url(replacing: name, with: String(isPage ? number + 1 : number + list.items.count)),
        isBlind: true
      )
    }
  }

  /// The one that the URL has, else `page`; where the answer has it in `pagination`, those of Strapi and JSON:API, too.
  private static func pageParameters(_ query: [(name: String, value: String)], _ members: Surroundings) -> [String] {
    let own = query.map(\.name).first { name in
      let name = name.lowercased()
      return ["page", "p", "pagenumber"].contains(name) || name.hasSuffix("[page]") || name.hasSuffix("[number]")
    }
    if let own { return [own] }
    let isInPagination = members.values.contains { $0.0.names.suffix(2).elementsEqual(["pagination", "page"]) }
    return isInPagination ? ["page", "pagination[page]", "page[number]"] : ["page"]
  }

  /// By the offset that the URL or the answer has: first by the parameter of that name, then by others' names for it.
  private static func offsets(
    _ offset: (name: String, value: Int)?,
    _ query: [(name: String, value: String)],
    _ answer: APIAnswer,
    _ list: ItemList
  ) -> [PagingGuess] {
    guard let offset else { return [] }
    let said = offset.name.lowercased().filter { $0.isLetter || $0.isNumber }
    let names = ["offset", "startAt", "startIndex", "start", "skip", "from"]
    let own = query.map(\.name).filter { name in names.contains { $0.lowercased() == name.lowercased() } }
    let likely = names.filter { said.contains($0.lowercased()) }
    var seen: Set<String> = []
    let all = (own.isEmpty ? likely + ["offset", "start"] : own).filter { seen.insert($0).inserted }.prefix(4)
    return all.enumerated().map { place, name -> PagingGuess in
      let number = Query.number(name, in: query) ?? 0
      return PagingGuess(
        yaml: "{offset: {parameter: \(name), size: \(list.items.count)}}",
        evidence: "\(offset.name) is \(offset.value)",
        secondPage: answer.url(replacing: name, with: String(number + list.items.count)),
        isBlind: place > 0
      )
    }
  }

  /// Which parameters may name a page, where nothing says so: those first that go with the one for its size.
  private static func tries(_ query: [(name: String, value: String)]) -> [String] {
    let companions: [String: [String]] = [
      "rows": ["start"], "size": ["from", "page"], "$limit": ["$offset"], "$top": ["$skip"],
      "limit": ["offset", "skip", "start"], "maxresults": ["startAt", "startIndex"], "count": ["offset", "startIndex"],
      "take": ["skip"], "num": ["start"], "max": ["offset"], "top": ["skip"], "per_page": ["page"],
      "pagesize": ["page"], "perpage": ["page"], "page_size": ["page"],
    ]
    let said = query.flatMap { companions[$0.name.lowercased()] ?? [] }
    var seen: Set<String> = []
    return (said + ["page", "offset", "start", "skip", "from", "$offset"]).filter { seen.insert($0).inserted }
  }
}

extension APIAnswer {
  fileprivate var totalPages: (name: String, value: Int)? {
    for name in ["X-Total-Pages", "X-WP-TotalPages", "X-Page-Count"] {
      if let value = headers.first(named: name).flatMap({ Int($0) }) { return ("the header `\(name)`", value) }
    }
    return nil
  }

  /// How many items the upstream says that there are in all, and where it says so.
  func total(without list: ItemList) -> (place: String, count: Int)? {
    totalInHeaders ?? StatedTotal.find(in: body, without: list)
  }

  private var totalInHeaders: (place: String, count: Int)? {
    for name in ["X-Total-Count", "X-Total", "X-WP-Total", "Total-Count"] {
      if let count = headers.first(named: name).flatMap({ Int($0) }) { return ("the header `\(name)`", count) }
    }
    return nil
  }
}

/// How many items an answer says that there are in all.
public enum StatedTotal {
  /// - Returns: the member that says so, and what it says; nil where none does.
  public static func find(in body: JSONValue) -> (place: String, count: Int)? {
    find(in: body, without: nil)
  }

  static func find(in body: JSONValue, without list: ItemList?) -> (place: String, count: Int)? {
    let names: Set<String> = [
      "total", "totalcount", "count", "totalresults", "totalitems", "totalelements", "numfound", "numberofresults",
      "@odata.count", "odata.count",
      "totalrecords", "resultcount", "nbhits", "totalhits", "hydra:totalitems", "totalsize", "recordcount", "totalrows",
    ]
    let totals = Surroundings(body, without: list).values.compactMap { path, value -> (String, Int)? in
      var path = path
      if path.last == "value" { path.names.removeLast() }
      guard names.contains(path.plainLast), let count = value.count else {
        return nil
      }
      return ("`\(path.description)`", count)
    }
    // `count` may be this page's.
    return totals.max { $0.1 < $1.1 }.map { (place: $0.0, count: $0.1) }
  }
}

/// The scalars of an answer outside of its lists, six members deep.
struct Surroundings {
  private(set) var values: [(MemberPath, JSONValue)] = []

  init(_ body: JSONValue, without list: ItemList?) {
    // A map of items has items alone.
    if let list, list.kind == .entries, list.path.names.isEmpty { return }
    visit(body, MemberPath([]), list?.path)
  }

  /// The nearest member, beside a cursor or above it, that says whether there is a further page.
  func more(for cursor: MemberPath) -> (path: MemberPath, isTrue: Bool)? {
    let found = values.compactMap { path, value -> (path: MemberPath, isTrue: Bool)? in
      let name = path.plainLast
      guard ["hasmore", "hasnext", "hasnextpage"].contains(name), case .bool(let isTrue) = value,
        cursor.names.starts(with: path.names.dropLast())
      else { return nil }
      return (path, isTrue)
    }
    return found.max { $0.path.names.count < $1.path.names.count }
  }

  private mutating func visit(_ value: JSONValue, _ path: MemberPath, _ list: MemberPath?) {
    guard let members = value.members, members.count <= 200 else { return }
    for member in members {
      let path = path.appending(member.name)
      if path == list { continue }
      switch member.value {
      case .object: if path.names.count < 6 { visit(member.value, path, list) }
      case .array: continue
      default: values.append((path, member.value))
      }
    }
  }
}
