/// A cell identifier and the payload of that kind of cell, encoded.
///
/// Section headers and footers are cell models; a row's own stand inside its encoding (``Row/cells``).
public final class CellModel: Sendable {
  public let cellIdentifier: String
  /// `{"cellIdentifier":…,"payload":…}`, UTF-8 JSON.
  public let encoded: [UInt8]
  public let fingerprint: Fingerprint

  /// O(bytes): fingerprints them.
  public init(cellIdentifier: String, encoded: [UInt8]) {
    self.cellIdentifier = cellIdentifier
    self.encoded = encoded
    fingerprint = Fingerprint(of: encoded)
  }

  /// Equal to the byte. O(1) where the fingerprints differ or both are one object, else O(bytes).
  public static func same(_ first: CellModel?, _ second: CellModel?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first === second || (first.fingerprint == second.fingerprint && first.encoded == second.encoded)
  }
}
