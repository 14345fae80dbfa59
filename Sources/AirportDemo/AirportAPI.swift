public import Dispatch
import Foundation
public import HTTPServer
import Synchronization

/// The airport as an upstream API: `GET /flights`, with an entity tag that changes when the board does.
public final class AirportAPI: RequestHandler {
  private struct State {
    var airport: Airport
    var board: Representation
  }
  private let state: Mutex<State>

  public init(seed: UInt64) {
    let airport = Airport(seed: seed)
    state = Mutex(State(airport: airport, board: Self.board(airport)))
  }

  /// Lets a minute of the airport's time pass every `interval` seconds, for as long as the timer is held.
  public func run(every interval: Double) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "airport"))
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.setEventHandler { [weak self] in self?.advance() }
    timer.activate()
    return timer
  }

  func advance() {
    state.withLock { state in
      let revision = state.airport.revision
      state.airport.advance()
      if state.airport.revision != revision { state.board = Self.board(state.airport) }
    }
  }

  public func handle(_ request: Request, _ exchange: Exchange) -> Reply {
    guard request.rawPath == "/flights" else {
      return .response(.problem(.notFound, detail: "The airport answers GET /flights."))
    }
    return .response(request.answer(allowing: .get) ?? state.withLock { $0.board }.response(to: request))
  }

  // MARK: JSON

  private struct Board: Encodable {
    var airport = "Tablecast International"
    var flights: [Item]
  }

  private struct Item: Encodable {
    var id, flight, airline, destination, scheduled, status: String
    var logo, estimated, gate, note: String?
  }

  private static func board(_ airport: Airport) -> Representation {
    let items = airport.flights.map { flight in
      Item(
        id: flight.id,
        flight: flight.number,
        airline: flight.airline.name,
        destination: flight.destination,
        scheduled: time(flight.scheduled),
        status: flight.status.rawValue,
        logo: flight.airline.logo,
        estimated: flight.estimated.map(time),
        gate: flight.gate,
        note: flight.note
      )
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = (try? encoder.encode(Board(flights: items))).map(Array.init) ?? []
    return Representation(
      body: body,
      contentType: "application/json",
      entityTag: "\(airport.revision)",
      cacheControl: "no-cache"
    )
  }

  /// Minutes since midnight, on the simulation's one day, as RFC 3339.
  private static func time(_ minutes: Int) -> String {
    let (hour, minute) = (minutes / 60 % 24, minutes % 60)
    return "2026-05-01T\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute):00Z"
  }
}
