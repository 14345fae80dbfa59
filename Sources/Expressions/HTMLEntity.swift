/// Character references of HTML: numbers, and the names that texts have in practice.
enum HTMLEntity {
  /// Appends the character that a `&` starts, or the `&` itself. Returns where the text goes on.
  static func decode(in bytes: [UInt8], from start: Int, into result: inout [UInt8]) -> Int {
    let limit = min(bytes.count, start + 34)
    if let end = bytes[start..<limit].firstIndex(of: UInt8(ascii: ";")),
      let scalar = scalar(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
    {
      result.append(contentsOf: String(scalar).utf8)
      return end + 1
    }
    result.append(bytes[start])
    return start + 1
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    if let named = named[name] { return named }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let code = digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let code, code != 0 else { return nil }
    return Unicode.Scalar(code)
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "shy": "\u{AD}",
    "ndash": "–", "mdash": "—", "hellip": "…", "bull": "•", "middot": "·", "laquo": "«", "raquo": "»",
    "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„",
    "copy": "©", "reg": "®", "trade": "™", "deg": "°", "plusmn": "±", "times": "×", "divide": "÷", "frac12": "½",
    "euro": "€", "pound": "£", "yen": "¥", "cent": "¢", "sect": "§", "para": "¶", "micro": "µ", "larr": "←",
    "rarr": "→", "uarr": "↑", "darr": "↓", "aacute": "á", "agrave": "à", "acirc": "â", "atilde": "ã", "auml": "ä",
    "aring": "å", "aelig": "æ", "ccedil": "ç", "eacute": "é", "egrave": "è", "ecirc": "ê", "euml": "ë",
    "iacute": "í", "igrave": "ì", "icirc": "î", "iuml": "ï", "ntilde": "ñ", "oacute": "ó", "ograve": "ò",
    "ocirc": "ô", "otilde": "õ", "ouml": "ö", "oslash": "ø", "szlig": "ß", "uacute": "ú", "ugrave": "ù",
    "ucirc": "û", "uuml": "ü", "yacute": "ý", "Aacute": "Á", "Agrave": "À", "Auml": "Ä", "Aring": "Å",
    "AElig": "Æ", "Ccedil": "Ç", "Eacute": "É", "Ntilde": "Ñ", "Oacute": "Ó", "Ouml": "Ö", "Oslash": "Ø",
    "Uuml": "Ü", "iexcl": "¡", "iquest": "¿",
  ]
}
