import Definitions

enum ViewsKeys: ObjectKeys {
  static let name = "Views"
  static let noun = "the views"

  private static let standard = ViewsDefinition()

  static let idle = Key(
    "idle",
    .duration(atLeast: .seconds(1)),
    "A view idle for so long is dropped. Default: \(durationText(standard.idle))."
  )
  static let max = Key(
    "max",
    .integer(1...100_000_000),
    "The largest number; beyond it, the oldest view of the caller with the most is dropped. Default: \(standard.maximum)."
  )

  static let keys = [idle.description, max.description]

  static func value(of object: ObjectReader) -> ViewsDefinition? {
    var views = ViewsDefinition()
    object.set(&views.idle, from: idle)
    object.set(&views.maximum, from: max)
    return views
  }
}
