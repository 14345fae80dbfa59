extension StoreError {
  init(_ error: PostgresError) {
    switch error {
    case .lost(let reason): self = .unavailable(reason)
    // The last: an answer is kept under the commit's key already.
    case .refused("TC001", _), .refused("40001", _), .refused("23505", _): self = .superseded
    case .refused("TC002", _): self = .fenced
    case .refused("53100", _): self = .full
    // A lock that somebody keeps, as an operator's; a deadlock, twice.
    case .refused(let state, let message) where ["55P03", "40P01"].contains(state): self = .busy(message)
    // Too many connections, shutting down, read only since another one is the primary: for now.
    case .refused(let state, let message) where ["53", "57", "08"].contains(state.prefix(2)) || state == "25006":
      self = .unavailable(message)
    case .refused(let state, let message): self = .failed("\(message) (\(state))")
    }
  }
}
