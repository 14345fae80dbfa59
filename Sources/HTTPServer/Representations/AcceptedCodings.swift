/// A request's `Accept-Encoding`, as far as the codings known here are concerned (RFC 9110 section 12.5.3).
public struct AcceptedCodings: Equatable, Sendable {
  /// Acceptable codings, the preferred one first; at equal quality zstd before gzip before deflate before none.
  /// Whoever takes any has not said that it knows zstd, and gets that after the
  /// others.
  public let ordered: [ContentCoding]

  /// Without the field any coding is acceptable, but a client that says nothing may well know none.
  init() { ordered = AcceptedCodings.identityAlone }

  private static let identityAlone: [ContentCoding] = [.identity]

  /// Parses the field's value, all its lines joined.
  init(_ value: ArraySlice<UInt8>) {
    var zstd: Int?
    var gzip: Int?
    var deflate: Int?
    var identity: Int?
    var others: Int?
    FieldList.forEach(of: value, quoted: false) { member in
      let end = member.firstIndex(of: UInt8(ascii: ";"))
      let coding = FieldList.trimmed(member[..<(end ?? member.endIndex)])
      guard let quality = end.map({ AcceptedCodings.quality(member[($0 + 1)...]) }) ?? 1000 else { return true }
      if FieldSemantics.equal(coding, "gzip") || FieldSemantics.equal(coding, "x-gzip") {
        gzip = quality
      } else if FieldSemantics.equal(coding, "zstd") {
        zstd = quality
      } else if FieldSemantics.equal(coding, "deflate") {
        deflate = quality
      } else if FieldSemantics.equal(coding, "identity") {
        identity = quality
      } else if FieldSemantics.equal(coding, "*") {
        others = quality
      }
      return true
    }
    // Not listed: none of the compressed ones, but no coding at all is always acceptable, after what is listed,
    // unless it is excluded by name or by "*;q=0".
    var qualities: [(ContentCoding, Int)] = [
      (.gzip, gzip ?? others ?? 0),
      (.deflate, deflate ?? others ?? 0),
      (.identity, identity ?? (others == 0 ? 0 : 1)),
    ]
    qualities.insert((.zstd, zstd ?? others ?? 0), at: zstd == nil ? 2 : 0)
    var ordered: [ContentCoding] = []
    for (coding, quality) in qualities where quality > 0 {
      let better = ordered.prefix { other in qualities.contains { $0.0 == other && $0.1 >= quality } }
      ordered.insert(coding, at: better.count)
    }
    self.ordered = ordered
  }

  /// `q=` and a number from 0 to 1 with up to three decimals, in thousandths (RFC 9110 section 12.4.2). Nil for
  /// anything else: the member is then left out.
  private static func quality(_ parameter: ArraySlice<UInt8>) -> Int? {
    let bytes = FieldList.trimmed(parameter)
    guard bytes.count >= 3, bytes.count <= 7, ByteClass.lowercased(bytes[bytes.startIndex]) == UInt8(ascii: "q"),
      bytes[bytes.startIndex + 1] == UInt8(ascii: "=")
    else { return nil }
    let number = bytes.dropFirst(2)
    guard let whole = number.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1") else { return nil }
    var quality = Int(whole & 1) * 1000
    if number.count > 1 {
      guard number[number.startIndex + 1] == UInt8(ascii: ".") else { return nil }
      var weight = 100
      for digit in number.dropFirst(2) {
        guard ByteClass.isDigit(digit) else { return nil }
        quality += Int(digit & 0xf) * weight
        weight /= 10
      }
    }
    return quality <= 1000 ? quality : nil
  }
}
