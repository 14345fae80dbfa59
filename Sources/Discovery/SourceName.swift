internal import Foundation

/// The name of a source and its table.
struct SourceName {
  var text: String

  /// Nil where nothing of it can stand in a name.
  init?(_ text: String) {
    let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let name = words.joined(separator: "-")
    guard let first = name.first, !name.isEmpty else { return nil }
    self.text = String((first.isLetter ? name : "list-\(name)").prefix(40))
  }

  /// By what a URL's path ends with, else by its host.
  init(of url: String?) {
    self =
      url.flatMap { SourceName.last($0) }.flatMap(SourceName.init) ?? url.flatMap(SourceName.host) ?? SourceName(
        "items"
      ) ?? SourceName(fallback: ())
  }

  private init(fallback: ()) { text = "items" }

  private static func host(_ url: String) -> SourceName? {
    URL(string: url)?.host.flatMap { host in host.split(separator: ".").dropLast().last.map(String.init) }.flatMap(
      SourceName.init
    )
  }

  /// The last word of the path that is no number and no version: `issues`.
  static func last(_ url: String) -> String? {
    let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
    return path.reversed().lazy.map { segment in
      let word = segment.prefix { $0 != "." }
      return String(word)
    }.first { word in
      word.contains { $0.isLetter } && word.utf8.count <= 40
        && !(word.first == "v" && word.dropFirst().allSatisfy(\.isNumber))
        && !["api", "rest", "index", "list", "search", "query", "all", "json", "_search"].contains(word.lowercased())
    }
  }

  /// `issues` → `issue`: what one item is called, without marks.
  static func noun(_ name: String) -> String {
    let word = name.split(separator: "-").last.map(String.init) ?? name
    if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    return word.hasSuffix("s") ? String(word.dropLast()) : word
  }

  /// `swift-issues` → `Swift issues`.
  static func title(_ name: String) -> String {
    let words = name.replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

/// The address of an item of a list of identities.
enum ElementURL {
  /// URLs with `${$item}` in the identity's place, the likeliest first.
  static func candidates(_ url: String, first: String) -> [String] {
    if first.hasPrefix("http://") || first.hasPrefix("https://") { return ["${$item}"] }
    let base = String(url.prefix { $0 != "?" && $0 != "#" })
    let rest = String(url.dropFirst(base.count))
    let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
    guard let slash = trimmed.lastIndex(of: "/") else { return [] }
    let folder = String(trimmed[..<slash])
    let last = trimmed[trimmed.index(after: slash)...]
    let ending = last.firstIndex(of: ".").map { String(last[$0...]) } ?? ""
    let word = String(last.prefix { $0 != "." })
    let noun = SourceName.noun(word.lowercased())
    var found = [
      "\(folder)/item/${$item}\(ending)", "\(folder)/\(word)/${$item}\(ending)", "\(folder)/\(noun)/${$item}\(ending)",
      "\(folder)/${$item}\(ending)", "\(folder)/items/${$item}\(ending)",
    ]
    var seen: Set<String> = []
    found = found.filter { seen.insert($0).inserted }
    return found.map { $0 + rest }
  }
}
