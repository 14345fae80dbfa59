internal import Queues

/// A source that goes on in another process: what one knows of the upstream is handed to the next, so that it is not asked
/// more often, nor for what is known.
extension Source {
  /// Gives the state that the next leader needs, by this process's clock. On `client.queue`, between two of its
  /// updates.
  public func handOver(_ body: @escaping @Sendable (SourceHandover) -> Void) {
    client.queue.async { [self] in
      var handover = schedule.handover
      handover.validators = fetcher.validators
      body(handover)
    }
  }

  /// Forgets what the upstream has said to this process, as another one may have asked it since; then
  /// ``takeOver(_:isWhole:in:)`` goes on, unless it is suspended meanwhile.
  ///
  /// - Parameter body: on `client.queue`, given which taking over it is.
  public func beginTakingOver(_ body: @escaping @Sendable (_ turn: UInt64) -> Void) {
    client.queue.async { [self] in
      takeOvers += 1
      // A fetch under way may be older than another replica's version.
      if schedule.isIdle { fetcher.forget() } else { refreshAfterChange() }
      body(takeOvers)
    }
  }

  /// Polls from now on as another one did until now.
  ///
  /// - Parameters:
  ///   - left: nil: nobody knows how: what comes first is `content`, as soon as the upstream may be asked.
  ///   - isWhole: what the validators validate is known here: without that they are not used.
  ///   - completion: on `client.queue`.
  public func takeOver(
    _ left: SourceHandover?,
    isWhole: Bool,
    in turn: UInt64,
    _ completion: @escaping @Sendable () -> Void = {}
  ) {
    client.queue.async { [self] in
      defer { completion() }
      guard turn == takeOvers else { return }
      // A source that was asked for a refresh meanwhile fetches everything anew.
      guard schedule.isIdle else { return perform(schedule.resume(at: .now), isUrgent: true) }
      fetcher.forget()
      if isWhole, let validators = left?.validators { fetcher.adopt(validators) }
      perform(schedule.takeOver(left, isWhole: isWhole, at: .now), isUrgent: false)
    }
  }
}
