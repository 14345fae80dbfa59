/// A departure board that lives: flights appear, get gates, are delayed, board, depart and go.
///
/// A pure simulation: the same seed gives the same afternoon, minute by minute. One ``advance()`` is one minute.
public struct Airport: Sendable {
  public struct Flight: Equatable, Sendable {
    public var id: String
    public var number: String
    public var airline: Airline
    public var destination: String
    /// Minutes since midnight.
    public var scheduled: Int
    public var estimated: Int?
    public var gate: String?
    public var status = Status.scheduled
    public var note: String?

    /// When it leaves, as far as is known.
    var departure: Int { estimated ?? scheduled }
  }

  public enum Status: String, Sendable { case scheduled, delayed, boarding, departed }

  public struct Airline: Equatable, Sendable {
    public var code: String
    public var name: String
    /// Some airlines have no logo, as some upstreams' items lack what others have.
    public var logo: String?
  }

  public private(set) var flights: [Flight] = []
  /// Minutes since midnight.
  public private(set) var minute = 9 * 60
  /// Counts the minutes in which something changed.
  public private(set) var revision = 1
  private var random: SplitMix64
  private var nextNumber = 100

  /// How many flights the board shows at a time.
  private static let boardSize = 12

  public init(seed: UInt64) {
    random = SplitMix64(state: seed)
    // The board as it stands in the middle of the morning: flights every few minutes, near ones first.
    for place in 0..<Self.boardSize { add(scheduled: minute + 3 + place * 4) }
    for _ in 0..<10 { advance() }
  }

  /// One minute passes.
  public mutating func advance() {
    minute += 1
    let before = flights
    for index in flights.indices { flights[index] = next(flights[index]) }
    flights.removeAll { $0.status == .departed && minute >= $0.departure + 5 }
    while flights.count < Self.boardSize {
      let last = flights.map(\.scheduled).max() ?? minute
      add(scheduled: max(last, minute + 20) + Int.random(in: 2...6, using: &random))
    }
    if flights != before { revision += 1 }
  }

  /// What becomes of one flight in this minute.
  private mutating func next(_ flight: Flight) -> Flight {
    var flight = flight
    let left = flight.departure - minute
    switch flight.status {
    case .scheduled, .delayed:
      if flight.gate == nil, left <= 22 { flight.gate = gate() }
      if flight.status == .scheduled, left > 8, Int.random(in: 0..<60, using: &random) == 0 {
        flight.status = .delayed
        flight.estimated = flight.scheduled + 5 * Int.random(in: 2...6, using: &random)
        flight.note = Self.reasons.randomElement(using: &random)
      } else if left <= 8 {
        flight.status = .boarding
        flight.note = nil
      }
    case .boarding:
      if left <= 0 { flight.status = .departed }
    case .departed:
      break
    }
    return flight
  }

  private mutating func add(scheduled: Int) {
    let airline = Self.airlines[Int.random(in: 0..<Self.airlines.count, using: &random)]
    nextNumber += Int.random(in: 1...9, using: &random)
    flights.append(
      Flight(
        id: "\(airline.code)\(nextNumber)",
        number: "\(airline.code) \(nextNumber)",
        airline: airline,
        destination: Self.destinations[Int.random(in: 0..<Self.destinations.count, using: &random)],
        scheduled: scheduled
      )
    )
  }

  private mutating func gate() -> String {
    let pier = ["A", "B", "C"][Int.random(in: 0..<3, using: &random)]
    return "\(pier)\(Int.random(in: 1...24, using: &random))"
  }

  /// An airline's sign as a picture that stands in its URL, so that the demo asks no other host for one.
  private static func sign(_ code: String, _ color: String) -> String {
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2032%2032'%3E"
      + "%3Crect%20width='32'%20height='32'%20fill='%23\(color)'/%3E%3Ctext%20x='16'%20y='21'%20text-anchor='middle'"
      + "%20font-family='sans-serif'%20font-size='13'%20fill='white'%3E\(code)%3C/text%3E%3C/svg%3E"
  }

  private static let airlines = [
    Airline(code: "TC", name: "Tablecast Air", logo: sign("TC", "0b57b0")),
    Airline(code: "NV", name: "Nova", logo: sign("NV", "8a1c5b")),
    Airline(code: "PE", name: "Pelican Regional", logo: nil),
    Airline(code: "AU", name: "Aurora", logo: sign("AU", "17663a")),
  ]
  private static let destinations = [
    "Lisbon", "Oslo", "Hanoi", "Nairobi", "Kraków", "Reykjavík", "Montréal", "Osaka", "Zürich", "Palermo",
    "Tbilisi", "Valparaíso", "Cork", "Thessaloniki", "Gdańsk", "Marrakesh",
  ]
  private static let reasons = [
    "Late arrival of the incoming aircraft.", "De-icing takes longer than planned.",
    "Waiting for a slot: traffic over the Alps.", "A technical check is under way.",
    "Waiting for connecting passengers.",
  ]
}

/// Sebastiano Vigna's SplitMix64: enough randomness for an airport, and the same on every machine.
struct SplitMix64: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
