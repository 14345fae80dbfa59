/// Responses like those of GitHub's issues API, made up and always the same: about 600 bytes an item.
struct IssueFeed {
  private var random: UInt64
  private(set) var issues: [[UInt8]] = []

  init(count: Int, seed: UInt64 = 42) {
    random = seed
    issues.reserveCapacity(count)
    for number in 0..<count { issues.append(issue(number, edition: 0)) }
  }

  /// The whole response: an array.
  func response() -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    for (index, issue) in issues.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += issue
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// Every `stride`th item becomes another edition of itself.
  mutating func edit(every stride: Int) {
    for number in Swift.stride(from: 0, to: issues.count, by: stride) {
      issues[number] = issue(number, edition: 1)
    }
  }

  private mutating func issue(_ number: Int, edition: Int) -> [UInt8] {
    let login = pick(["mona", "hubot", "octocat", "defunkt", "lattner"]) + "\(next() % 9999)"
    let user = next() % 90_000_000
    let label = pick(["bug", "compiler", "good first issue", "runtime", "concurrency"])
    let text =
      "{\"id\":\(2_000_000_000 + number),\"node_id\":\"I_kwDOAq4x\(next() % 99_999_999)\",\"number\":\(number),"
      + "\"title\":\"\(sentence(8))\",\"edition\":\(edition),"
      + "\"user\":{\"login\":\"\(login)\",\"id\":\(user),"
      + "\"avatar_url\":\"https://avatars.example.com/u/\(user)?v=4\",\"type\":\"User\",\"site_admin\":false},"
      + "\"labels\":[{\"id\":\(next() % 999_999),\"name\":\"\(label)\",\"color\":\"d73a4a\",\"default\":true}],"
      + "\"state\":\"\(next() % 3 == 0 ? "closed" : "open")\",\"locked\":false,\"assignee\":null,"
      + "\"comments\":\(next() % 40),\"created_at\":\"2026-0\(1 + next() % 9)-1\(next() % 9)T08:30:00Z\","
      + "\"html_url\":\"https://github.example.com/swiftlang/swift/issues/\(number)\","
      + "\"body\":\"\(sentence(12))\\r\\n\\r\\n```\\n\(sentence(3))\\n```\"}"
    return Array(text.utf8)
  }

  private mutating func sentence(_ words: Int) -> String {
    (0..<words).map { _ in
      pick(["crash", "when", "compiling", "a", "generic", "\\\"protocol\\\"", "with", "größe", "macro", "the", "actor"])
    }.joined(separator: " ")
  }

  private mutating func pick(_ from: [String]) -> String { from[Int(next() % UInt64(from.count))] }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    random &+= 0x9e37_79b9_7f4a_7c15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
