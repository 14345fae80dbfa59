internal import _FoundationICU

/// The release of ICU whose data orders and folds texts: keys of two releases can't be compared.
public enum ICURelease {
  public static let version = U_ICU_VERSION
}
