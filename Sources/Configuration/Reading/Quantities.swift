/// `250ms`, `30s`, `5m`, `2h`, and sums as `1h30m`. Nil where the text is none, or too long to be meant (a year).
func parseDuration(_ text: String) -> Duration? {
  let longest: Int64 = 366 * 24 * 3_600_000
  var milliseconds: Int64 = 0
  var rest = Substring(text)
  repeat {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    let unit = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest.dropFirst(unit.count)
    let factor: Int64
    switch unit {
    case "ms": factor = 1
    case "s": factor = 1000
    case "m": factor = 60_000
    case "h": factor = 3_600_000
    case "d": factor = 24 * 3_600_000
    default: return nil
    }
    guard let count = Int64(digits), count <= longest / factor else { return nil }
    milliseconds += count * factor
  } while !rest.isEmpty && milliseconds <= longest
  return milliseconds <= longest && rest.isEmpty ? .milliseconds(milliseconds) : nil
}

/// `512B`, `64KB`, `32MB`, `1GB`, in powers of 1024. Nil where the text is none, or too large to be meant.
func parseSize(_ text: String) -> Int? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let shift: Int
  switch text.dropFirst(digits.count) {
  case "B": shift = 0
  case "KB": shift = 10
  case "MB": shift = 20
  case "GB": shift = 30
  default: return nil
  }
  guard let count = Int(digits), count <= 1 << 20 else { return nil }
  return count << shift
}

/// A size as a configuration has it, in the largest unit that it is a whole number of.
func sizeText(_ bytes: Int) -> String {
  let units = [(30, "GB"), (20, "MB"), (10, "KB")]
  let unit = units.first { bytes > 0 && bytes % (1 << $0.0) == 0 } ?? (0, "B")
  return "\(bytes >> unit.0)\(unit.1)"
}

/// A duration as a configuration has it, in the largest unit that it is a whole number of.
func durationText(_ duration: Duration) -> String {
  let milliseconds = duration / .milliseconds(1)
  let units = [(3_600_000.0, "h"), (60_000, "m"), (1000, "s")]
  let unit = units.first { milliseconds > 0 && milliseconds.remainder(dividingBy: $0.0) == 0 } ?? (1, "ms")
  return "\(Int(milliseconds / unit.0))\(unit.1)"
}
