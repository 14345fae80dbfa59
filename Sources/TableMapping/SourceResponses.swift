internal import Expressions
internal import JSON
internal import TableModel

/// The documents that a source answered with, as expressions see them: `$response` is the first, `$pages` are all.
///
/// The values are views: they live as long as this does.
final class SourceResponses {
  let documents: [Document]
  /// `$response`: null where the source has no response of its own.
  private(set) var response = Value.null
  /// `$pages`.
  private(set) var pages = Value.null

  /// - Throws: where a page is not JSON.
  /// - Complexity: O(bytes): all of them are parsed.
  init(_ pages: [[UInt8]]) throws(SourceFailure) {
    var documents: [Document] = []
    var roots: [Value] = []
    for (number, page) in pages.enumerated() {
      do throws(JSONError) {
        let document = try Document(page)
        roots.append(Value(try document.unmanagedRoot()))
        documents.append(document)
      } catch {
        throw SourceFailure(error, page: number, of: pages.count)
      }
    }
    self.documents = documents
    if let first = roots.first { (response, self.pages) = (first, .array(roots)) }
  }

  /// Returns the fingerprint of everything that expressions with these dependencies may see of the pages.
  static func fingerprint(of pages: [[UInt8]], seen dependencies: Dependencies) -> Fingerprint {
    if dependencies.contains(.pages) {
      return pages.reduce(.empty) { $0.combined(with: Fingerprint(of: $1)) }
    }
    guard dependencies.contains(.response), let first = pages.first else { return .empty }
    return Fingerprint(of: first)
  }
}

/// Why the items of a source can't be mapped.
struct SourceFailure: Error {
  var kind = SourceProblem.Kind.noItems
  var detail: String

  init(kind: SourceProblem.Kind = .noItems, detail: String) { (self.kind, self.detail) = (kind, detail) }

  /// The answer is not what the configuration says that it is.
  init(_ error: JSONError, page: Int, of count: Int) {
    let which = count > 1 ? "page \(page + 1): " : ""
    if error.kind == .mismatch {
      self.init(detail: "\(which)\(error); `items` says where the list stands")
    } else {
      self.init(kind: .malformed, detail: "\(which)\(error)")
    }
  }

  /// An item is no JSON: an answer is JSON as a whole, or it is none.
  ///
  /// - Parameter place: of the item; nil where it came by itself.
  init(malformed place: ItemPlace?, because reason: String) {
    self.init(kind: .malformed, detail: "\(place?.description ?? "an item") is not JSON: \(reason)")
  }
}

/// The place of an item in a source's answer, for people: `https://api.example.com/items, page 2: item 3`.
struct ItemPlace: CustomStringConvertible {
  /// Its position in the list, from 0.
  var position: Int
  /// The list that it stands in; nil where that is not known.
  var list: ListedText?
  /// The number of the list's page, from 0, and of all pages.
  var page: (number: Int, count: Int)

  var description: String {
    let place = [list?.name, page.count > 1 ? "page \(page.number + 1)" : nil].compactMap(\.self)
    return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + "item \(position + 1)"
  }
}
