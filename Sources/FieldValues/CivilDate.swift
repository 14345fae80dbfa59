/// A day of the Gregorian calendar, before its introduction too (ISO 8601).
public struct CivilDate: Equatable, Sendable {
  public let year: Int
  /// 1–12.
  public let month: Int
  /// 1–31.
  public let day: Int

  /// Nil where there is no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// From the number of days since 1970-01-01, which may be negative.
  public init(daysSinceEpoch days: Int) {
    // Years start in March here, so that the leap day is their last; eras have 400 years.
    let shifted = days + Self.epochInEras
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * month + 2) / 5 + 1
    self.month = month < 10 ? month + 3 : month - 9
    year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
  }

  /// Days since 1970-01-01; negative before.
  public var daysSinceEpoch: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.epochInEras
  }

  /// How long a month is. - Precondition: the month is 1–12.
  public static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// 1970-01-01 in days since 0000-03-01.
  private static let epochInEras = 719_468
}
