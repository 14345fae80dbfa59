import Definitions

extension FamilyMembers.Limits {
  /// One client may have made a quarter of all, and of what they may hold.
  init(_ blueprint: TableBlueprint) {
    let definition = blueprint.definition.instances
    self.init(
      maximum: definition.maximum,
      freezeAfter: definition.freezeAfter,
      dropAfter: definition.dropAfter,
      ofOneShare: max(definition.maximum / 4, 1),
      bytes: definition.maximumBytes,
      bytesOfOneShare: min(definition.maximumBytes ?? .max, blueprint.membersBytes) / 4
    )
  }
}
