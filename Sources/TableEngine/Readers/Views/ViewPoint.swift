import TableModel

/// The toggled rows of a view at one of its points in time.
struct ViewPoint: Sendable {
  /// The identities of the toggled rows.
  var toggled: Set<Fingerprint>
}
