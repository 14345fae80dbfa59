import HTTPServer

/// Topics that many wait for together, each bundle under one topic of its own: whoever follows fifty tables is registered once
/// with the server, and not fifty times. Bundles of the same topics are one.
struct TopicBundles {
  private var bundles: [[Topic]: (topic: Topic, holders: Int)] = [:]
  /// By topic, the bundles that it is in.
  private var containing: [Topic: Set<Topic>] = [:]

  /// O(topics).
  ///
  /// - Returns: what is woken with any of them, until as many have let go of it as have taken it.
  mutating func take(_ topics: [Topic]) -> Topic {
    if let known = bundles[topics] {
      bundles[topics] = (known.topic, known.holders + 1)
      return known.topic
    }
    let topic = Topic(rawValue: .random(in: .min ... .max))
    bundles[topics] = (topic, 1)
    for part in topics { containing[part, default: []].insert(topic) }
    return topic
  }

  /// O(topics).
  mutating func letGo(of topics: [Topic]) {
    guard let (topic, holders) = bundles[topics] else { return }
    guard holders == 1 else {
      bundles[topics] = (topic, holders - 1)
      return
    }
    bundles[topics] = nil
    for part in topics {
      containing[part]?.remove(topic)
      if containing[part]?.isEmpty ?? false { containing[part] = nil }
    }
  }

  /// The bundles that are woken with these, each once.
  func bundles(with topics: [Topic]) -> [Topic] {
    guard !containing.isEmpty else { return [] }
    if topics.count == 1 { return containing[topics[0]].map(Array.init) ?? [] }
    var found: Set<Topic> = []
    for topic in topics { if let bundles = containing[topic] { found.formUnion(bundles) } }
    return Array(found)
  }
}

/// A bundle of topics, as long as somebody holds it.
final class TopicBundle: Sendable {
  let topic: Topic
  private let topics: [Topic]
  private let server: WakingServer

  init(_ topics: [Topic], _ server: WakingServer) {
    (self.topics, self.server) = (topics, server)
    topic = server.bundle(topics)
  }

  deinit { server.unbundle(topics) }
}
