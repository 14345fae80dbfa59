import Digests
import Expressions

/// Of parts of a configuration: the same for those that say the same, in every process.
func digest(of parts: [Any]) -> String {
  var text = ""
  for part in parts { describe(part, to: &text, depth: 0) }
  return SHA256.digest(of: Array(text.utf8)).prefix(16).map { String($0, radix: 16) }.joined()
}

/// The environment's variables that expressions in parts of a configuration name.
///
/// - Parameter label: properties of this name are left out.
func variables(in parts: [Any], without label: String, of environment: [String: String]) -> [String] {
  guard !environment.isEmpty else { return [] }
  var text = ""
  for part in parts { describe(part, to: &text, depth: 0, without: label) }
  return environment.keys.filter { text.contains("env.\($0)") }
}

/// Writes all that a value is made of, dictionaries and sets in an order of their own.
private func describe(_ value: Any, to text: inout String, depth: Int, without label: String? = nil) {
  if let expression = value as? Expression {
    text += expression.text
    return
  }
  let mirror = Mirror(reflecting: value)
  // What an object says of itself is where it lies: it is made of what stands beside it.
  guard mirror.displayStyle != .class else { return }
  guard depth < 40, !mirror.children.isEmpty else {
    text += "\(value);"
    return
  }
  var parts = mirror.children.compactMap { child -> String? in
    guard label == nil || child.label != label else { return nil }
    var part = "\(child.label ?? ""):"
    describe(child.value, to: &part, depth: depth + 1, without: label)
    return part
  }
  if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
  text += "(" + parts.joined(separator: ",") + ")"
}
