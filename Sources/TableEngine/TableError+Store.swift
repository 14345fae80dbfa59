import Foundation
import TableStore

extension TableError {
  /// An edit that the store did not take.
  init(_ error: StoreError) {
    switch error {
    case .full: self.init(.storeFull, detail: "There is no room left to store the edit: nothing has changed.")
    case .busy: self.init(.unavailable, detail: "The store is busy: nothing has changed.", retryAfter: .seconds(1))
    case .superseded, .fenced, .closed:
      self.init(.unavailable, detail: "\(error): nothing has changed.", retryAfter: .seconds(1))
    case .unavailable:
      let detail = "The store can't be reached: whether the edit was stored is not known."
      self.init(.unavailable, detail: detail, retryAfter: .seconds(1))
    case .stopped:
      let detail =
        "The disk has failed: whether the edit is stored is known when the service has started again. A repeat with the same "
        + "`Idempotency-Key` is answered then."
      self.init(.unavailable, detail: detail, retryAfter: .seconds(5))
    case .newerVersion, .newerSchema, .corrupt, .damaged, .foreign, .locked, .cannotOpen, .failed:
      self.init(.failed, detail: "The edit could not be stored: nothing has changed.")
    }
  }
}

extension TableError {
  /// An edit that is not stored, as one that it was planned on could not be.
  init(ofBase error: StoreError) {
    // Of this one it is known.
    if case .unavailable = error { self.init(StoreError.superseded) } else { self.init(error) }
  }

  private struct Stored: Codable {
    var title: String?
    var detail: String
  }

  /// An upstream's refusal of a member, for those who follow: there is no such table.
  init?(stored bytes: [UInt8]) {
    guard !bytes.isEmpty, let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)) else { return nil }
    self.init(.unknown, title: stored.title, detail: stored.detail)
  }

  /// As it is kept with the member; the same bytes for the same refusal.
  var stored: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(Stored(title: title, detail: detail))).map { Array($0) } ?? []
  }
}
