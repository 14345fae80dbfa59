/// `a`, `a or b`, `a, b or c`: for what is allowed.
func alternatives(_ words: some Collection<String>) -> String {
  guard words.count > 1, let last = words.reversed().first else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

/// `a`, `a and b`, `a, b and c`: for what stands together.
func together(_ words: some Collection<String>) -> String {
  guard words.count > 1, let last = words.reversed().first else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " and " + last
}
