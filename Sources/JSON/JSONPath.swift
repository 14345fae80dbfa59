/// The way from the root of a document to a value in it.
public typealias JSONPath = [JSONPathComponent]

public enum JSONPathComponent: Hashable, Sendable, CustomStringConvertible {
  case name(String)
  /// Negative: from the end.
  case index(Int)

  public var description: String {
    switch self {
    case .name(let name): "['\(name)']"
    case .index(let index): "[\(index)]"
    }
  }
}

extension JSONView {
  /// The value at the end of a path; nil where the path leads nowhere.
  public subscript(path: JSONPath) -> JSONView? {
    var view = self
    for component in path {
      let next =
        switch component {
        case .name(let name): view[name]
        case .index(let index): view[index]
        }
      guard let next else { return nil }
      view = next
    }
    return view
  }
}
