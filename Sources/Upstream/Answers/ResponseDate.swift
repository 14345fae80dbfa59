import FieldValues

/// `IMF-fixdate` of RFC 9110 section 5.6.7, and its obsolete form of RFC 850: seconds since 1970.
enum ResponseDate {
  static func parse(_ text: String) -> Int64? {
    let parts = text.split(whereSeparator: { " ,-".contains($0) }).map(String.init)
    guard parts.count >= 5, let day = Int(parts[1]), let month = months.firstIndex(of: parts[2].lowercased()),
      var year = Int(parts[3]), (0...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
    guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]) else {
      return nil
    }
    if parts[3].utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
    guard let date = CivilDate(year: year, month: month + 1, day: day) else { return nil }
    return Int64(date.daysSinceEpoch) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
