// Globs, merge patches and percent-coding: each as a naive way of doing the same has it, and none hangs.
import FieldValues
import JSON

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValues(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: data, count: size))
  guard let kind = input.first else { return 0 }
  let parts = input.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let (first, second) = (Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [])
  switch kind % 3 {
  case 0: checkGlob(first, second)
  case 1: checkMerge(first, second)
  default: checkPercentCoding(first)
  }
  return 0
}

private func checkGlob(_ pattern: [UInt8], _ name: [UInt8]) {
  let (pattern, name) = (String(decoding: pattern, as: UTF8.self), String(decoding: name, as: UTF8.self))
  precondition(Glob(pattern).matches(name) == matches(Array(name.utf8), Array(pattern.utf8)))
}

/// Which beginnings of the name match, one character of the pattern after the other.
private func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
  var reached = [Bool](repeating: false, count: name.count + 1)
  reached[0] = true
  for character in pattern {
    var next = [Bool](repeating: false, count: name.count + 1)
    for end in reached.indices {
      if character == UInt8(ascii: "*") {
        next[end] = reached[end] || end > 0 && next[end - 1]
      } else {
        next[end] = end > 0 && reached[end - 1] && name[end - 1] == character
      }
    }
    reached = next
  }
  return reached[name.count]
}

private func checkMerge(_ target: [UInt8], _ patch: [UInt8]) {
  guard let target = try? JSONValue(parsing: target), let patch = try? JSONValue(parsing: patch),
    !target.hasRepeatedNames
  else { return }
  precondition(target.merging(patch: patch).bytes == merge(target, patch).bytes)
}

/// As RFC 7396 section 2 writes it.
private func merge(_ target: JSONValue, _ patch: JSONValue) -> JSONValue {
  guard case .object(let changes) = patch else { return patch }
  var result = target
  if case .object = result {} else { result = .object([]) }
  for change in changes {
    result[change.name] = change.value == .null ? JSONValue?.none : merge(result[change.name] ?? .null, change.value)
  }
  return result
}

extension JSONValue {
  /// Of members with one name the first counts, which the naive way leaves to chance.
  fileprivate var hasRepeatedNames: Bool {
    switch self {
    case .object(let members):
      Set(members.map { Array($0.name.utf8) }).count < members.count || members.contains { $0.value.hasRepeatedNames }
    case .array(let elements): elements.contains(where: \.hasRepeatedNames)
    case .null, .bool, .integer, .unsigned, .double, .string: false
    }
  }
}

private func checkPercentCoding(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  precondition(PercentCoding.decode(PercentCoding.encode(text).utf8) == Array(text.utf8))
  _ = PercentCoding.decode(bytes)
}
