import Dispatch
import HTTPServer
import Synchronization

/// Streams that end when their callers' tokens do: those of one second together, so that nobody looks through all of them.
/// A client that begins anew is told why.
final class TokenEndings: Sendable {
  private struct Contents {
    /// By the second of the process's clock in which they end.
    var streams: [Int: [ObjectIdentifier: StreamHandle]] = [:]
    var seconds: [ObjectIdentifier: Int] = [:]
    /// The seconds that have a timer, whether a stream is left that ends then or not.
    var timed: Set<Int> = []
  }

  private let contents = Mutex(Contents())
  private let queue = DispatchQueue(label: "tablecast.endings")
  /// Beyond it nobody holds a stream.
  private static let longest = 366 * 86_400.0

  /// Ends a stream in so many seconds, or up to one later. O(1).
  func add(_ source: TableStream, _ stream: StreamHandle, in seconds: Double) {
    let pause = min(max(seconds, 0), Self.longest)
    let now = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    let second = Int((now + pause).rounded(.up))
    let isFirst = contents.withLock { contents in
      contents.seconds[ObjectIdentifier(source)] = second
      contents.streams[second, default: [:]][ObjectIdentifier(source)] = stream
      return contents.timed.insert(second).inserted
    }
    guard isFirst else { return }
    let deadline = DispatchTime(uptimeNanoseconds: UInt64(second) * 1_000_000_000 + 20_000_000)
    queue.asyncAfter(deadline: deadline) { [weak self] in self?.end(second) }
  }

  func remove(_ source: TableStream) {
    contents.withLock { contents in
      guard let second = contents.seconds.removeValue(forKey: ObjectIdentifier(source)) else { return }
      contents.streams[second]?[ObjectIdentifier(source)] = nil
      if contents.streams[second]?.isEmpty == true { contents.streams[second] = nil }
    }
  }

  private func end(_ second: Int) {
    let streams = contents.withLock { contents in
      contents.timed.remove(second)
      let streams = contents.streams.removeValue(forKey: second) ?? [:]
      for source in streams.keys { contents.seconds[source] = nil }
      return streams
    }
    for stream in streams.values { stream.end() }
  }
}
