import HTTPServer
import TableEngine

/// What `Accept-Language` asks for (RFC 9110 section 12.5.4): language ranges by their weight.
struct LanguagePreferences: Sendable {
  /// By weight, the first of equal ones first.
  private let ranges: [String]
  private let refused: [String]

  /// More ranges than that are not read.
  private static let maximum = 64

  init(_ request: Request) { self.init(request.list(.acceptLanguage)) }

  /// - Parameter members: of the list, such as `de;q=0.8`. What can't be read is passed over.
  init(_ members: [String]) {
    var weighted: [(range: String, weight: Double)] = []
    for member in members.prefix(Self.maximum) {
      let parts = member.split(separator: ";").map { String($0).trimmingSpaces }
      guard let range = parts.first, !range.isEmpty else { continue }
      var weight = 1.0
      if let parameter = parts.dropFirst().first {
        let pair = parameter.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces }
        guard pair.count == 2, pair[0].lowercased() == "q", let quality = Double(pair[1]), (0...1).contains(quality)
        else { continue }
        weight = quality
      }
      weighted.append((range.lowercased(), weight))
    }
    refused = weighted.filter { $0.weight == 0 }.map(\.range)
    let asked = weighted.enumerated().filter { $0.element.weight > 0 }
    ranges = asked.sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.range)
  }

  /// The locale to answer in: for each range the first one that it filters (RFC 4647 section 3.3.1), the range shortened
  /// until one is; the first of all where no range has one. Nil where there are none.
  func locale(of locales: [String]) -> String? {
    guard locales.count > 1 else { return locales.first }
    for range in ranges {
      if range == "*" {
        if let locale = locales.first(where: { locale in !refused.contains { Self.filters($0, locale) } }) {
          return locale
        }
        continue
      }
      var subtags = range.split(separator: "-")
      while !subtags.isEmpty {
        let shortened = subtags.joined(separator: "-")
        if let locale = locales.first(where: { Self.filters(shortened, $0) }) { return locale }
        subtags.removeLast()
      }
    }
    return locales.first
  }

  /// Basic filtering: the range is the tag, or a beginning of it that ends before a hyphen.
  private static func filters(_ range: String, _ tag: String) -> Bool {
    let tag = tag.lowercased()
    return tag == range || tag.hasPrefix(range + "-")
  }
}
