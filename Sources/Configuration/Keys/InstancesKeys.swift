import Definitions

enum InstancesKeys: ObjectKeys {
  static let name = "Instances"
  static let noun = "the instances"

  private static let standard = InstancesDefinition()

  static let max = Key(
    "max",
    .integer(1...1_000_000),
    "The largest number; the least recently read one is dropped first. Default: \(standard.maximum)."
  )
  static let maxBytes = Key(
    "maxBytes",
    .size,
    "The memory for all of them. Default: what the members of all families may (`limits.membersBytes`)."
  )
  static let freezeAfter = Key(
    "freezeAfter",
    .duration(atLeast: .seconds(1)),
    "No longer polled when nobody has read it for so long. Default: \(durationText(standard.freezeAfter))."
  )
  static let dropAfter = Key(
    "dropAfter",
    .duration(atLeast: .seconds(1)),
    "Forgotten when nobody read it for so long. Default: \(durationText(standard.dropAfter))."
  )

  static let keys = [max.description, maxBytes.description, freezeAfter.description, dropAfter.description]

  static func value(of object: ObjectReader) -> InstancesDefinition? {
    var instances = InstancesDefinition()
    object.set(&instances.maximum, from: max)
    instances.maximumBytes = object[maxBytes]
    object.set(&instances.freezeAfter, from: freezeAfter)
    object.set(&instances.dropAfter, from: dropAfter)
    if instances.dropAfter < instances.freezeAfter {
      object.reading.error(
        at: object.place(of: dropAfter),
        "'dropAfter' is shorter than 'freezeAfter'",
        "an instance is frozen first"
      )
    }
    return instances
  }
}
