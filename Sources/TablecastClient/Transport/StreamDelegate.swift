import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands the parts of replies to whoever asked for them, task by task.
///
/// `@unchecked Sendable`: the receivers are used with the lock held.
final class StreamDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  typealias Receiver = @Sendable (StreamPart) -> Void

  private struct Stream {
    var receive: Receiver
    /// A reply that is no stream, as far as it has come.
    var response: TransportResponse?
    var isOpen = false
  }

  private let lock = NSLock()
  private var streams: [Int: Stream] = [:]

  func add(_ task: URLSessionTask, _ receive: @escaping Receiver) {
    lock.withLock { streams[task.taskIdentifier] = Stream(receive: receive) }
  }

  /// Redirected, a POST would become a GET, and its answer one to an edit.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(task.originalRequest?.httpMethod == "GET" ? request : nil)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let reply = (response as? HTTPURLResponse).map { TransportResponse($0, body: []) }
    let isOpen = reply?.status == 200 && reply?.headers["content-type"]?.hasPrefix("text/event-stream") == true
    let receive = lock.withLock { () -> Receiver? in
      if isOpen { streams[dataTask.taskIdentifier]?.isOpen = true }
      streams[dataTask.taskIdentifier]?.response = reply
      return streams[dataTask.taskIdentifier]?.receive
    }
    if isOpen { receive?(.opened) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let receive = lock.withLock { () -> Receiver? in
      guard let stream = streams[dataTask.taskIdentifier] else { return nil }
      if stream.isOpen { return stream.receive }
      // A problem is short: what is longer is cut, and then no problem.
      if let body = stream.response?.body, body.count + data.count <= 1 << 20 {
        streams[dataTask.taskIdentifier]?.response?.body.append(contentsOf: data)
      }
      return nil
    }
    receive?(.bytes([UInt8](data)))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let stream = lock.withLock({ streams.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let response = stream.response, !stream.isOpen, error == nil {
      stream.receive(.response(response))
    } else {
      stream.receive(.ended(TransportFailure(error?.localizedDescription ?? "the stream ended")))
    }
  }
}
