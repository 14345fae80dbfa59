import TablecastClient

/// The cells of the simulated app. `Label` wants a text: a row without one shows its fallback, so that a cell may change
/// its kind while the service counts it as the same.
enum SimulatedCell: CellModel {
  case label(String)
  case other

  static var acceptedCells: String? { nil }
  static func decodes(cellIdentifier: String) -> Bool { ["Label", "Other"].contains(cellIdentifier) }

  private enum Key: String, CodingKey { case cellIdentifier, payload, title }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if try container.decode(String.self, forKey: .cellIdentifier) == "Other" {
      self = .other
    } else {
      let payload = try container.nestedContainer(keyedBy: Key.self, forKey: .payload)
      self = .label(try payload.decode(String.self, forKey: .title))
    }
  }
}
