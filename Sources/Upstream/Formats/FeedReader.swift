internal import CCurl
internal import Glibc
internal import JSON

/// Items of a feed: RSS 2.0 and its forerunners, RSS 1.0 (RDF), Atom (RFC 4287), all with the same members.
///
/// An item has `id` (`guid`, else the link), `title`, `link`, `summary`, `content`, `published`, `updated`, `author` and
/// `categories`, a list; what it lacks is left out. RSS's dates are written as Atom's; links are absolute.
final class FeedReader {
  struct Feed {
    /// The list.
    var json: [UInt8]
    var next: String?
  }

  /// - Parameters:
  ///   - limit: of items; one more is read, so that it is known that there are more. Nil: all.
  ///   - maxBytes: of the list: what all items have in common, such as the author, stands in each.
  static func read(_ text: [UInt8], at url: UpstreamURL, atMost limit: Int?, maxBytes: Int)
    throws(AnswerText.TextError) -> Feed
  {
    let reader = FeedReader(at: url, atMost: limit)
    let events = XMLEvents()
    events.onStart = { [unowned events] name, attributes in
      reader.begin(name, attributes)
      if reader.isFull || reader.byteCount > maxBytes { events.stop() }
    }
    events.onEnd = { [unowned events] name in
      reader.end(name)
      if reader.byteCount > maxBytes { events.stop() }
    }
    events.onText = { [unowned events] bytes in
      reader.append(bytes)
      if reader.byteCount > maxBytes { events.stop() }
    }
    try events.read(text)
    guard reader.byteCount <= maxBytes else { throw .tooLong(maxBytes) }
    guard reader.isFeed else {
      throw AnswerText.TextError(
        "this is XML, but no feed: its root is `\(reader.root ?? "")`; RSS and Atom can be read"
      )
    }
    reader.writer.endArray()
    return Feed(json: reader.writer.bytes, next: reader.next)
  }

  private typealias Name = XMLEvents.Name

  private enum Namespace {
    static let atom = "http://www.w3.org/2005/Atom"
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let content = "http://purl.org/rss/1.0/modules/content/"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    /// RSS has none of its own, or one of these.
    static let rss: Set = [
      "", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2",
      "http://purl.org/rss/2.0/",
    ]
  }

  /// An item in the making.
  private struct Item {
    var texts: [String: String] = [:]
    var authors: [String] = []
    /// The authors of the feed that it comes from (`atom:source`): they count where it has none of its own (RFC 4287
    /// section 4.2.1).
    var sourceAuthors: [String] = []
    var categories: [String] = []
    /// The subject of an RDF item.
    var about: String?
    var guidIsLink = false
  }

  private let url: UpstreamURL
  private let limit: Int?
  private var writer = JSONWriter()
  private var count = 0
  private var root: String?
  private var isFeed = false
  private var next: String?
  private var feedAuthors: [String] = []
  private var path: [Name] = []
  /// `xml:base`, by depth.
  private var bases: [UpstreamURL]
  private var item: Item?
  /// The text of the element that is read; nil: nobody asks for it.
  private var text: [UInt8]?
  /// The depth of the element that the text is of.
  private var textDepth = 0
  /// Its text is what stands in it, elements and all (`type="xhtml"`).
  private var isMarkup = false

  private init(at url: UpstreamURL, atMost limit: Int?) {
    (self.url, self.limit, bases) = (url, limit, [url])
    writer.beginArray()
  }

  /// One more than there may be is known.
  private var isFull: Bool { limit.map { count > $0 } ?? false }

  /// Of the list, and of the text that is read.
  private var byteCount: Int { writer.count + (text?.count ?? 0) }

  // MARK: Events

  private func begin(_ name: Name, _ attributes: [(name: Name, value: String)]) {
    let attribute = { (local: String) in attributes.first { $0.name == Name("", local) }?.value }
    let base = attributes.first { $0.name == Name(Namespace.xml, "base") }?.value
    bases.append(base.flatMap { self.base($0) } ?? bases[bases.count - 1])
    path.append(name)
    if path.count == 1 { beginRoot(name) }
    if text != nil {
      if isMarkup, path.count > textDepth { appendTag(name, attributes) }
      return
    }
    if isItem(name), item == nil, isFeed {
      item = Item()
      item?.about = attributes.first { $0.name == Name(Namespace.rdf, "about") }?.value
      return
    }
    guard let parent = path.dropLast().last else { return }
    if name == Name(Namespace.atom, "link") {
      // Others are the links of what stands in an item, such as the feed that it comes from (`atom:source`).
      if (item == nil ? ["feed", "channel"] : ["entry", "item"]).contains(parent.local) { takeLink(attribute) }
      return
    }
    guard wants(name, in: parent) else { return }
    if name.local == "guid" { item?.guidIsLink = attribute("isPermaLink") != "false" }
    if name == Name(Namespace.atom, "category") {
      if let term = attribute("label") ?? attribute("term"), !term.isEmpty { item?.categories.append(term) }
      return
    }
    if name == Name(Namespace.atom, "content"), let source = attribute("src") { set("content", absolute(source)) }
    (text, textDepth) = ([], path.count)
    isMarkup = name.namespace == Namespace.atom && attribute("type") == "xhtml"
  }

  private func end(_ name: Name) {
    defer {
      path.removeLast()
      bases.removeLast()
    }
    if let read = text {
      if path.count > textDepth {
        if isMarkup { text? += Array("</\(name.local)>".utf8) }
        return
      }
      text = nil
      take(String(decoding: read, as: UTF8.self).trimmingWhitespace, of: name)
      isMarkup = false
    } else if let read = item, isItem(name), path.count <= 3 {
      item = nil
      write(read)
    }
  }

  private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard text != nil else { return }
    guard isMarkup else {
      text?.append(contentsOf: bytes)
      return
    }
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "<"): text? += Array("&lt;".utf8)
      case UInt8(ascii: "&"): text? += Array("&amp;".utf8)
      default: text?.append(byte)
      }
    }
  }

  private func appendTag(_ name: Name, _ attributes: [(name: Name, value: String)]) {
    let pairs = attributes.filter { $0.name.namespace.isEmpty }.map { attribute in
      let value = attribute.value.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
      return " \(attribute.name.local)=\"\(value)\""
    }
    text? += Array("<\(name.local)\(pairs.joined())>".utf8)
  }

  private func beginRoot(_ name: Name) {
    root = String(name.local.prefix(40))
    isFeed =
      name == Name(Namespace.atom, "feed") || name == Name(Namespace.rdf, "RDF")
      || name.local == "rss" && Namespace.rss.contains(name.namespace)
  }

  private func isItem(_ name: Name) -> Bool {
    name == Name(Namespace.atom, "entry") && path.count == 2
      || name.local == "item" && Namespace.rss.contains(name.namespace) && (2...3).contains(path.count)
  }

  // MARK: Members

  private static let rss = ["title", "link", "guid", "description", "pubDate", "author", "category"]
  private static let atom = ["title", "id", "summary", "content", "published", "updated", "category"]

  /// The element around the author whose name is read.
  private var ownerOfAuthor: Name? { path.dropLast(2).last }

  private func wants(_ name: Name, in parent: Name) -> Bool {
    let isAuthor = name == Name(Namespace.atom, "name") && parent == Name(Namespace.atom, "author")
    guard item != nil else { return isAuthor && path.count == 3 }
    if isAuthor, let owner = ownerOfAuthor { return ["item", "entry", "source"].contains(owner.local) }
    guard parent.local == "item" || parent.local == "entry" else { return false }
    switch name.namespace {
    case Namespace.atom: return Self.atom.contains(name.local)
    case Namespace.dublinCore: return ["date", "creator", "subject"].contains(name.local)
    case Namespace.content: return name.local == "encoded"
    default: return Namespace.rss.contains(name.namespace) && Self.rss.contains(name.local)
    }
  }

  /// The first one of them counts; others are not even made.
  private func set(_ member: String, _ value: @autoclosure () -> String) {
    guard item != nil, item?.texts[member] == nil else { return }
    let value = value()
    if !value.isEmpty { item?.texts[member] = value }
  }

  private func take(_ value: String, of name: Name) {
    guard !value.isEmpty else { return }
    switch (name.namespace, name.local) {
    case (Namespace.atom, "name"):
      if item == nil {
        feedAuthors.append(value)
      } else if ownerOfAuthor?.local == "source" {
        item?.sourceAuthors.append(value)
      } else {
        item?.authors.append(value)
      }
    case (Namespace.atom, _): set(name.local, value)
    case (Namespace.dublinCore, "date"): set("date", value)
    case (Namespace.dublinCore, "creator"), (_, "author"): item?.authors.append(value)
    case (Namespace.dublinCore, "subject"), (_, "category"): item?.categories.append(value)
    case (Namespace.content, _): set("content", value)
    case (_, "guid"): set("id", value)
    case (_, "link"): set("link", absolute(value))
    case (_, "description"): set("summary", value)
    case (_, "pubDate"): set("published", Self.date(value))
    default: set(name.local, value)
    }
  }

  private func takeLink(_ attribute: (String) -> String?) {
    guard let target = attribute("href"), !target.isEmpty else { return }
    switch attribute("rel") ?? "alternate" {
    case "alternate": set("link", absolute(target))
    case "next": if item == nil, next == nil { next = absolute(target) }
    default: break
    }
  }

  /// A base is read once more for each reference: a longer one is none.
  private static let longestBase = 2_048

  private func base(_ reference: String) -> UpstreamURL? {
    guard reference.utf8.count <= Self.longestBase,
      let base = bases[bases.count - 1].resolve(reference, keepsUser: false)
    else { return nil }
    return base.absolute.utf8.count <= Self.longestBase ? base : nil
  }

  /// Without user and password: links are shown to the table's readers.
  private func absolute(_ reference: String) -> String {
    bases[bases.count - 1].resolve(reference, keepsUser: false)?.absolute ?? reference
  }

  /// As Atom has it; what is no date stays as it is.
  private static func date(_ text: String) -> String {
    let seconds = curl_getdate(text, nil)
    guard seconds >= 0 else { return text }
    var (time, parts) = (seconds, tm())
    guard gmtime_r(&time, &parts) != nil else { return text }
    let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }

  private func write(_ item: Item) {
    guard !isFull else { return }
    count += 1
    var texts = item.texts
    if texts["link"] == nil, item.guidIsLink, let id = texts["id"], id.hasPrefix("http") { texts["link"] = id }
    texts["id"] = texts["id"] ?? item.about ?? texts["link"]
    texts["published"] = texts["published"] ?? texts["date"]
    writer.beginObject()
    for member in ["id", "title", "link", "summary", "content", "published", "updated"] {
      guard let text = texts[member] else { continue }
      writer.name(member)
      writer.write(text)
    }
    if let authors = [item.authors, item.sourceAuthors, feedAuthors].first(where: { !$0.isEmpty }) {
      writer.name("author")
      writer.write(authors.joined(separator: ", "))
    }
    writer.name("categories")
    writer.beginArray()
    for category in item.categories { writer.write(category) }
    writer.endArray()
    writer.endObject()
  }
}
