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
    case .newerVersion, .newerSchema, .corrupt, .damaged, .foreign, .locked, .cannotOpen, .failed:
      self.init(.failed, detail: "The edit could not be stored: nothing has changed.")
    }
  }
}
