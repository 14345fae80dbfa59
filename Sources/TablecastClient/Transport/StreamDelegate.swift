import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
  /// Fields that hold no secret of the caller's. Without its cursor a stream would begin with what nobody asked for.
  private static let harmlessFields: Set<String> = [
    "accept", "accept-cells", "accept-language", "last-event-id", "user-agent",
  ]

  /// This request without what only the origin of another URL may be told. From http to https a host stays the same.
  func redirected(from original: URL?) -> URLRequest {
    if let original, let url, original.mayShareSecrets(with: url) { return self }
    var request = self
    for name in (allHTTPHeaderFields ?? [:]).keys where !Self.harmlessFields.contains(name.lowercased()) {
      request.setValue(nil, forHTTPHeaderField: name)
    }
    return request
  }
}

extension URL {
  fileprivate func mayShareSecrets(with other: URL) -> Bool {
    let (mine, its) = (scheme?.lowercased(), other.scheme?.lowercased())
    guard let host, host.lowercased() == other.host?.lowercased() else { return false }
    func effectivePort(_ url: URL, _ scheme: String?) -> Int { url.port ?? (scheme == "https" ? 443 : 80) }
    let (from, to) = (effectivePort(self, mine), effectivePort(other, its))
    return mine == its && from == to || mine == "http" && from == 80 && its == "https" && to == 443
  }
}

/// Hands replies to whoever asked for them, task by task: streams part by part, all others whole and of a bounded size.
///
/// `@unchecked Sendable`: the receivers are used with the lock held.
final class StreamDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Receiver = @Sendable (StreamPart) -> Void

  private struct Stream {
    var receive: Receiver
    /// Never a stream: a reply that is longer than this fails. Of what was asked for as a stream the start of a problem is kept.
    var maximumBytes: Int?
    /// A reply that is no stream, as far as it has come.
    var response: TransportResponse?
    var isOpen = false
    var isTooLong = false

    /// Keeps what came, in place, and returns whether it is too much.
    mutating func take(_ data: Data) -> Bool {
      guard !isOpen, let count = response?.body.count else { return false }
      // A problem is short: what is longer is cut, and then no problem.
      let fits = count + data.count <= maximumBytes ?? 1 << 20
      if fits { response?.body.append(contentsOf: data) }
      isTooLong = isTooLong || (!fits && maximumBytes != nil)
      return isTooLong
    }
  }

  private let lock = NSLock()
  private var streams: [Int: Stream] = [:]

  /// - Parameter maximumBytes: of a reply that must come whole; nil: it may be a stream.
  func add(_ task: URLSessionTask, maximumBytes: Int? = nil, _ receive: @escaping Receiver) {
    lock.withLock { streams[task.taskIdentifier] = Stream(receive: receive, maximumBytes: maximumBytes) }
  }

  /// Redirected, a POST would become a GET, and its answer one to an edit. Another origin is told no secrets.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    guard let original = task.originalRequest, original.httpMethod == "GET" else { return completionHandler(nil) }
    completionHandler(request.redirected(from: original.url))
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let reply = (response as? HTTPURLResponse).map { TransportResponse($0, body: []) }
    let isStream = reply?.status == 200 && reply?.headers["content-type"]?.hasPrefix("text/event-stream") == true
    let (isOpen, receive) = lock.withLock { () -> (Bool, Receiver?) in
      let isOpen = isStream && streams[dataTask.taskIdentifier]?.maximumBytes == nil
      if isOpen { streams[dataTask.taskIdentifier]?.isOpen = true }
      streams[dataTask.taskIdentifier]?.response = reply
      return (isOpen, streams[dataTask.taskIdentifier]?.receive)
    }
    if isOpen { receive?(.opened) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let (receive, isTooLong) = lock.withLock { () -> (Receiver?, Bool) in
      guard let isTooLong = streams[dataTask.taskIdentifier]?.take(data) else { return (nil, false) }
      return (streams[dataTask.taskIdentifier].flatMap { $0.isOpen ? $0.receive : nil }, isTooLong)
    }
    receive?(.bytes([UInt8](data)))
    guard isTooLong else { return }
    // At once: Linux's Foundation does not always say that a task has ended which was cancelled while more came.
    let stream = lock.withLock { streams.removeValue(forKey: dataTask.taskIdentifier) }
    dataTask.cancel()
    stream?.receive(.ended(TransportFailure("more than \(stream?.maximumBytes ?? 0) bytes")))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let stream = lock.withLock({ streams.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      stream.receive(.ended(TransportFailure(error)))
    } else if let response = stream.response, !stream.isOpen {
      stream.receive(.response(response))
    } else {
      stream.receive(.ended(TransportFailure(stream.isOpen ? "the stream ended" : "no HTTP reply")))
    }
  }
}
