import TableMapping
import TableModel
import Upstream

/// A message of a source.
enum SourceNews: Sendable {
  /// With its number, of all that this process was given by the source; and why it failed since, where it has.
  case content(SourceContent, UInt64, failedSince: UpstreamError? = nil)
  /// The last answer still holds.
  case unchanged
  case failure(UpstreamError)
}
