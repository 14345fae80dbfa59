/// `IMF-fixdate` of RFC 9110 section 5.6.7, and its obsolete form of RFC 850: seconds since 1970.
enum ResponseDate {
  static func parse(_ text: String) -> Int64? {
    let parts = text.split(whereSeparator: { " ,-".contains($0) }).map(String.init)
    guard parts.count >= 5, let day = Int64(parts[1]), (1...31).contains(day),
      let month = months.firstIndex(of: parts[2].lowercased()), var year = Int64(parts[3]), (0...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
    guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]) else {
      return nil
    }
    if parts[3].utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
    return days(year: year, month: Int64(month) + 1, day: day) * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Since 1970, in the Gregorian calendar: years begin in March here, so that leap days come last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
