import Definitions

/// The places of the parts of a table that are checked when all is read.
struct TablePlaces {
  var name: String
  var place: TextPosition
  var row: TextPosition
  var edits: TextPosition?
  /// `edits.replace`
  var replace: TextPosition?
  var forward: TextPosition?
  var items: TextPosition?
  /// There is an identity, and its diagnostic.
  var rowIDIsWrong: Bool
  var actions: [ActionPlaces]
  /// There is a default cell, right or wrong.
  var hasCell: Bool
}

/// The places of an action's effects.
struct ActionPlaces {
  var request: TextPosition?
  var patch: TextPosition?

  init(_ entry: YAMLEntry) {
    func place(_ name: String) -> TextPosition? { entry.value.entries?.first { $0.key.value == name }?.key.place }
    (request, patch) = (place(ActionKeys.request.name), place(ActionKeys.patch.name))
  }
}
