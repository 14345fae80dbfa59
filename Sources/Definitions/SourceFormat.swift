/// The format of an upstream's answer.
public enum SourceFormat: String, Sendable, CaseIterable {
  case json
  /// One JSON value a line.
  case ndjson
  /// RFC 4180; the first line has the names, all values are texts.
  case csv
  /// RSS 2.0, RSS 1.0 (RDF) or Atom.
  case feed
}
