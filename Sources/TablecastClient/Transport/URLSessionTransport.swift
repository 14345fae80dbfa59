import Dispatch

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport by `URLSession`s, without cache and cookies.
///
/// `@unchecked Sendable`: `URLSession` may be used on any thread, and nothing else is kept.
public final class URLSessionTransport: StreamTransport, @unchecked Sendable {
  /// The maximal size of a reply in bytes. A longer one is given up there, and is a failure.
  public static let maximumBytes = 256 << 20

  private let session: URLSession
  /// Edits have connections of their own: they are sent at once, however many polls wait.
  private let editing: URLSession
  /// Streams keep theirs for as long as they last.
  private let streaming: URLSession
  private let delegate = StreamDelegate()
  /// Tasks of two sessions may have one identifier.
  private let (editingDelegate, streamingDelegate) = (StreamDelegate(), StreamDelegate())

  /// - Parameter configuration: for proxies, protocols and trust of the app's; ephemeral by default.
  public init(configuration: URLSessionConfiguration = .ephemeral) {
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpShouldSetCookies = false
    configuration.httpMaximumConnectionsPerHost = 16
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    editing = URLSession(configuration: configuration, delegate: editingDelegate, delegateQueue: nil)
    streaming = URLSession(configuration: configuration, delegate: streamingDelegate, delegateQueue: nil)
  }

  /// Elsewhere: the last one who holds this may be a reply, which is released on a queue of the session's own, and there
  /// Linux's Foundation waits for itself, which ends the program.
  deinit {
    DispatchQueue.global().async { [session, editing, streaming] in
      for session in [session, streaming] { session.invalidateAndCancel() }
      // Edits go on: whoever has made them wants them done.
      editing.finishTasksAndInvalidate()
    }
  }

  public func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable {
    guard let urlRequest = URLRequest(request) else {
      completion(.failure(TransportFailure("`\(request.url)` is no URL")))
      return NothingToCancel()
    }
    let isRead = request.method == "GET"
    let task = (isRead ? session : editing).dataTask(with: urlRequest)
    (isRead ? delegate : editingDelegate).add(task, maximumBytes: Self.maximumBytes) { part in
      switch part {
      case .response(let response): completion(.success(response))
      case .ended(let failure): completion(.failure(failure))
      case .opened, .bytes: return
      }
    }
    task.resume()
    return CancellableTask(task)
  }

  public func stream(
    _ request: TransportRequest,
    receive: @escaping @Sendable (StreamPart) -> Void
  ) -> any Cancellable {
    guard let urlRequest = URLRequest(request) else {
      receive(.ended(TransportFailure("`\(request.url)` is no URL")))
      return NothingToCancel()
    }
    let task = streaming.dataTask(with: urlRequest)
    streamingDelegate.add(task, receive)
    task.resume()
    return CancellableTask(task)
  }
}

extension URLRequest {
  init?(_ request: TransportRequest) {
    guard let url = URL(string: request.url) else { return nil }
    // The session's own default is 60 s, less than a poll may take.
    self.init(url: url, timeoutInterval: request.timeout + 5)
    httpMethod = request.method
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    httpBody = request.body.map { Data($0) }
  }
}

extension TransportFailure {
  init(_ error: any Error) {
    let isUnsent =
      switch (error as? URLError)?.code {
      case .notConnectedToInternet?, .cannotFindHost?, .cannotConnectToHost?, .dnsLookupFailed?,
        .internationalRoamingOff?, .dataNotAllowed?, .secureConnectionFailed?, .serverCertificateUntrusted?,
        .appTransportSecurityRequiresSecureConnection?:
        true
      default: false
      }
    self.init(error.localizedDescription, kind: isUnsent ? .unsent : .broken)
  }
}

extension TransportResponse {
  init(_ response: HTTPURLResponse, body: [UInt8]) {
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers[name] = value }
    }
    self.init(status: response.statusCode, headers: headers, body: body)
  }
}

/// `@unchecked Sendable`: `URLSessionTask.cancel` may be called on any thread.
private struct CancellableTask: Cancellable, @unchecked Sendable {
  private let task: URLSessionTask

  init(_ task: URLSessionTask) { self.task = task }

  func cancel() { task.cancel() }
}

struct NothingToCancel: Cancellable {
  func cancel() {}
}
