/// Which release of the service this is.
public enum Release {
  public static let version = "1.0.0"
}
