internal import Expressions

/// The release of the service.
public enum Release {
  /// The one place of the number. Files that aren't compiled repeat it; `ReleaseTests` holds them to it.
  public static let version = "1.0.0"
  /// Differs where the same items may become other rows, or rows in another order.
  public static let layout = "\(version) mapping \(mapping) ICU \(ICURelease.version)"
  /// Raised with a change by which the same items become other rows, where the version stays.
  private static let mapping = 5
}
