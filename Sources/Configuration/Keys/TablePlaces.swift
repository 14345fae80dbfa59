import Definitions

/// Where the parts of a table stand that are checked when all is read.
struct TablePlaces {
  var name: String
  var place: Place
  var row: Place
  var edits: Place?
  var forward: Place?
  /// There is an identity, and its diagnostic.
  var rowIDIsWrong: Bool
  /// There is a default cell, right or wrong.
  var hasCell: Bool
}
