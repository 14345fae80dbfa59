import Digests
import Expressions

/// Of parts of a configuration: the same for those that say the same, in every process.
func digest(of parts: [Any]) -> String {
  var text = ""
  for part in parts { describe(part, to: &text, depth: 0) }
  return SHA256.digest(of: Array(text.utf8)).prefix(16).map { String($0, radix: 16) }.joined()
}

/// Writes all that a value is made of, dictionaries and sets in an order of their own.
private func describe(_ value: Any, to text: inout String, depth: Int) {
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
  var parts = mirror.children.map { child in
    var part = "\(child.label ?? ""):"
    describe(child.value, to: &part, depth: depth + 1)
    return part
  }
  if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
  text += "(" + parts.joined(separator: ",") + ")"
}
