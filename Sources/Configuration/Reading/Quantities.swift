/// The value of a text with units.
enum Quantity<Value: Equatable>: Equatable {
  case value(Value)
  /// It is one, and more than can be meant.
  case tooMuch
  case malformed
}

/// The longest duration that can be meant.
let longestDuration = Duration.seconds(366 * 24 * 3600)

/// `250ms`, `30s`, `5m`, `2h`, `1d`, and sums as `1h30m`.
func parseDuration(_ text: String) -> Quantity<Duration> {
  let longest = Int64(longestDuration / .milliseconds(1))
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
    default: return .malformed
    }
    guard !digits.isEmpty else { return .malformed }
    // Above the longest it stays there: what follows may still be no duration.
    let count = min(Int64(digits) ?? .max, longest + 1)
    milliseconds = min(milliseconds + count * factor, longest + 1)
  } while !rest.isEmpty
  return milliseconds > longest ? .tooMuch : .value(.milliseconds(milliseconds))
}

/// The largest size that can be meant, in bytes.
let largestSize = 1 << 50

/// `512B`, `64KB`, `32MB`, `1GB`, in powers of 1024.
func parseSize(_ text: String) -> Quantity<Int> {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let shift: Int
  switch text.dropFirst(digits.count) {
  case "B": shift = 0
  case "KB": shift = 10
  case "MB": shift = 20
  case "GB": shift = 30
  default: return .malformed
  }
  guard !digits.isEmpty else { return .malformed }
  guard let count = Int(digits), count <= largestSize >> shift else { return .tooMuch }
  return .value(count << shift)
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
  let units = [(86_400_000.0, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
  let unit = units.first { milliseconds > 0 && milliseconds.remainder(dividingBy: $0.0) == 0 } ?? (1, "ms")
  return "\(Int(milliseconds / unit.0))\(unit.1)"
}
