internal import JSON
public import Upstream

/// Finds out how an API is served as a table: where its list stands, what tells items apart, how further pages are asked for,
/// what a cell shows. Every guess has its evidence; what could be proved by another request was.
///
/// A state machine without I/O: ``next`` says what to ask for, ``receive(_:)`` takes the answer.
///
/// ```swift
/// var discovery = Discovery(url: "https://api.example.com/issues", headers: [])
/// while let request = discovery.next { discovery.receive(answer(to: request)) }
/// let draft = try discovery.draft()
/// ```
public struct Discovery: Sendable {
  /// A request to make next.
  public enum Request: Sendable, Equatable {
    /// A reference, to be resolved against the URL that was given first.
    case get(String)
    /// The same, of which the head is enough.
    case head(String)
  }

  private enum Phase {
    case first
    /// The list has identities: which URL has one of the items?
    case element([String], identity: String)
    /// Further items of such a list.
    case elements(template: String, left: [String])
    case page([PagingGuess])
    case again
    case image(String)
    case done
  }

  /// Why there is no table in what was answered.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public var description: String
  }

  private let url: String?
  private let headers: [TransferField]
  private let name: String
  private var phase = Phase.first
  private var failure: Failure?
  /// The first answer, and what was found in it.
  private var answer: APIAnswer?
  private var lists: [ItemList] = []
  private var items: [JSONValue] = []
  private var fields: [Field] = []
  private var identities: [IdentityGuess] = []
  private var element: String?
  private var paging: (guess: PagingGuess, proof: String)?
  private var unproved: [(guess: PagingGuess, reason: String)] = []
  /// Blind tries for a second page, by the reason why they failed.
  private var blind: [(reason: String, tries: [String])] = []
  private var cell: CellGuess?
  private var doubts: [String] = []

  /// Requests for a second page, at most.
  private static let maximumPagingTries = 6
  /// Items of a list of identities that are looked at.
  private static let maximumElements = 12

  /// - Parameters:
  ///   - url: what is asked first; nil where the first answer comes from a file: then nothing else is asked.
  ///   - headers: those that it is asked with; secret ones do not get into the configuration.
  ///   - name: of the source and the table; nil: what the URL's path ends with.
  public init(url: String?, headers: [TransferField] = [], name: String? = nil) {
    (self.url, self.headers) = (url, headers)
    self.name = name.flatMap(SourceName.init)?.text ?? SourceName(of: url).text
  }

  /// Nil where all is known that can be.
  public var next: Request? {
    switch phase {
    case .first: url.map { .get($0) }
    case .element(let templates, let identity):
      templates.first.map { .get($0.replacing("${$item}", with: identity)) }
    case .elements(let template, let left): left.first.map { .get(template.replacing("${$item}", with: $0)) }
    case .page(let guesses): guesses.first?.secondPage.map { .get($0) }
    case .again: url.map { .get($0) }
    case .image(let image): .head(image)
    case .done: nil
    }
  }

  /// - Parameter answer: nil where none came, or it was no JSON; of a `head`, its body counts for nothing.
  public mutating func receive(_ answer: APIAnswer?) {
    switch phase {
    case .first: begin(answer)
    case .element(let templates, let identity): proveElement(answer, templates, identity)
    case .elements(let template, let left): add(answer, template, left)
    case .page(let guesses): provePage(answer, guesses)
    case .again: compare(answer)
    case .image(let image): proveImage(answer, image)
    case .done: break
    }
  }

  // MARK: The first answer

  private mutating func begin(_ answer: APIAnswer?) {
    phase = .done
    guard let answer else { return failure = Failure(description: "there was no answer in JSON") }
    guard answer.isSuccess else {
      return failure = Failure(description: "the answer's status is \(answer.status)")
    }
    self.answer = answer
    lists = ItemList.candidates(in: answer.body, called: url.flatMap(SourceName.last))
    guard let list = lists.first else {
      return failure = Failure(
        description: "there is no list in the answer: no array of objects or identities, nor objects that are alike "
          + "under their names, to a depth of four members"
      )
    }
    if list.isOfErrors, !ItemList.isSame(list.path.last, name) {
      let said = list.items.first?["message"]?.text.map { ": \($0.singleLine)" } ?? ""
      return failure = Failure(
        description: "the answer has errors instead of items\(said) (if errors are the items, name the table `errors`)"
      )
    }
    switch list.kind {
    case .identities: begin(identities: list)
    case .objects, .nodes, .entries, .values:
      items = list.items
      survey()
    }
  }

  private mutating func begin(identities list: ItemList) {
    let first = list.items.first?.identityText
    let templates = url.flatMap { url in first.map { ElementURL.candidates(url, first: $0) } } ?? []
    guard let first, !templates.isEmpty else {
      let doubt = "the values are taken for items: given a URL in place of a file, `init` looks for items behind them"
      return begin(values: list, doubt, else: "give the URL, so that items can be fetched")
    }
    phase = .element(templates, identity: first)
    items = list.items
  }

  /// No more was found of the list's values than themselves: they are the items, where that may be.
  ///
  /// - Parameters:
  ///   - doubt: why they may be identities of others.
  ///   - hint: what would help where they can't be items.
  private mutating func begin(values list: ItemList, _ doubt: String, else hint: String) {
    phase = .done
    guard let answer, list.valuesMayBeItems(in: answer.body) else {
      return failure = Failure(description: "the list has only identities (\(list.description)): \(hint)")
    }
    doubts.append(doubt)
    lists[0].kind = .values
    items = list.items
    survey()
  }

  private mutating func proveElement(_ answer: APIAnswer?, _ templates: [String], _ identity: String) {
    if let answer, answer.isSuccess, let members = answer.body.members, members.count > 1 {
      element = templates[0]
      let texts = items.compactMap(\.identityText).dropFirst().prefix(Self.maximumElements - 1)
      items = [answer.body]
      phase = .elements(template: templates[0], left: Array(texts))
      if texts.isEmpty { survey() }
      return
    }
    phase = .element(Array(templates.dropFirst()), identity: identity)
    guard templates.count <= 1 else { return }
    begin(
      values: lists[0],
      "the values are taken for items: no URL was found that has an item behind one (`each`)",
      else: "no URL was found that has one of the items, write `each` by hand"
    )
  }

  private mutating func add(_ answer: APIAnswer?, _ template: String, _ left: [String]) {
    if let answer, answer.isSuccess, answer.body.members != nil { items.append(answer.body) }
    phase = .elements(template: template, left: Array(left.dropFirst()))
    if left.count <= 1 { survey() }
  }

  private var section: MemberPath? { SectionGuess.candidates(fields, of: items).first?.path }

  private mutating func survey() {
    guard let answer, let list = lists.first else { return phase = .done }
    let areValues = list.kind == .values
    fields = areValues ? [items.ownField] : items.fields()
    identities = IdentityGuess.candidates(fields, of: items, noun: SourceName.noun(name))
    if let identity = identities.first {
      cell = CellGuess(fields, of: items, identity: identity, section: section)
      if areValues { cell?.titleDoubt = nil }
    }
    if list.isGuess { doubts.append("the list is a guess, as there is no array of objects: \(list.description)") }
    if items.isEmpty { doubts.append("the list is empty: nothing could be seen of its items") }
    if let second = lists.dropFirst().first, !second.items.isEmpty, second.score > list.score - 2,
      list.kind != .identities
    {
      doubts.append("the list may be another one: \(second.description)")
    }
    if let word = list.path.names.last, word.contains(where: \.isNumber), list.kind == .objects {
      doubts.append("`\(word)` is a name that may be another one tomorrow: the list stands under it")
    }
    // Requests for items were made already, to learn whether values are identities.
    let guesses = element == nil && !areValues ? PagingGuess.candidates(answer, list: list) : []
    if url == nil {
      unproved = guesses.filter { !$0.isBlind }.map { ($0, "an answer from a file proves no paging") }
      phase = .done
    } else {
      unproved = guesses.filter { isElsewhere($0) }.map { ($0, "the second page is at another host") }
      let own = guesses.filter { $0.secondPage != nil && !isElsewhere($0) }
      askForPage(Array(own.prefix(Self.maximumPagingTries)))
    }
  }

  /// The service asks no other origin for a page than the first one's.
  private func isElsewhere(_ guess: PagingGuess) -> Bool {
    guard let base = url.flatMap(UpstreamURL.init), let page = guess.secondPage.flatMap({ base.resolve($0) }) else {
      return false
    }
    return !base.origin.mayShareSecrets(with: page.origin)
  }

  // MARK: Proofs

  private mutating func askForPage(_ guesses: [PagingGuess]) {
    // Items that are loaded one by one would take as many requests again.
    phase = !guesses.isEmpty ? .page(guesses) : element == nil ? .again : imagePhase
  }

  private mutating func provePage(_ answer: APIAnswer?, _ guesses: [PagingGuess]) {
    let guess = guesses[0]
    switch PageProof(answer, list: lists[0], first: items, &identities) {
    case .proved(let said, let second):
      paging = (guess, said)
      fields = (items + second).fields()
      items += second
      for index in identities.indices { identities[index].recount(items) }
      if let identity = identities.first { cell = CellGuess(fields, of: items, identity: identity, section: section) }
      phase = .again
    case .refuted(let reason):
      if !guess.isBlind {
        unproved.append((guess, reason))
      } else if let place = blind.firstIndex(where: { $0.reason == reason }) {
        blind[place].tries.append(guess.yaml)
      } else {
        blind.append((reason, [guess.yaml]))
      }
      askForPage(Array(guesses.dropFirst()))
    }
  }

  /// The same list, fetched again, has the same identities.
  private mutating func compare(_ answer: APIAnswer?) {
    phase = imagePhase
    guard let answer, answer.isSuccess, let again = lists[0].items(in: answer.body), !again.isEmpty, !items.isEmpty
    else { return }
    let first = self.answer.flatMap { lists[0].items(in: $0.body) } ?? []
    while let identity = identities.first, !identity.isContent {
      let former = Set(first.compactMap(identity.identity))
      let common = again.compactMap(identity.identity).filter(former.contains).count
      if common * 2 >= min(first.count, again.count) { return }
      identities.removeFirst()
      doubts.append("\(identity.template) is another one in a second answer: it identifies nothing")
      // Nor do other items prove a second page.
      if let paging, paging.guess.isBlind {
        unproved.append((paging.guess, "the list is another one in each answer"))
        self.paging = nil
      }
    }
  }

  private var imagePhase: Phase {
    guard url != nil, let image = cell?.others.first(where: { $0.name == "imageName" })?.sample else { return .done }
    return .image(image)
  }

  private mutating func proveImage(_ answer: APIAnswer?, _ image: String) {
    phase = .done
    let type = answer?.headers.first(named: "Content-Type")?.lowercased() ?? ""
    guard answer?.isSuccess == true else {
      return doubts.append("the image of the first item could not be had: imageName is a guess by its name")
    }
    if !type.hasPrefix("image/") { cell?.remove("imageName") }
  }
}

extension Discovery {
  /// The configuration, of what is known by now.
  ///
  /// - Throws: ``Failure`` where there is no table in what was answered.
  public func draft() throws(Failure) -> Draft {
    if let failure { throw failure }
    guard let answer, !lists.isEmpty, let identity = identities.first, let cell else {
      throw Failure(description: "there was no answer")
    }
    var findings = Findings(
      url: url,
      headers: headers,
      name: name,
      answer: answer,
      lists: lists,
      items: items,
      element: element,
      identity: identity,
      otherIdentities: Array(identities.dropFirst().filter { !$0.isContent }.prefix(2)),
      paging: paging,
      unproved: unproved,
      blind: blind,
      cell: cell,
      sections: SectionGuess.candidates(fields, of: items),
      fields: fields,
      doubts: doubts
    )
    if identity.isContent, !items.isEmpty { findings.doubts.append(identity.evidence) }
    if let doubt = cell.titleDoubt { findings.doubts.append(doubt) }
    return findings.draft()
  }
}
