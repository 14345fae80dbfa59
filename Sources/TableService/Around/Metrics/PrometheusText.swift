/// Metrics in Prometheus' text format, version 0.0.4: a family's help and type, then a line for each sample.
struct PrometheusText {
  private(set) var text = ""

  enum Kind: String { case counter, gauge, histogram }

  /// A family of metrics, named without its prefix.
  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    write("tablecast_\(name)", kind, help, samples)
  }

  /// A family with a name that all services have: `process_…`.
  mutating func common(_ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible) {
    write(name, kind, help, [Sample([], value)])
  }

  private mutating func write(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    for sample in samples {
      text += "\(name)\(sample.suffix)"
      if !sample.labels.isEmpty {
        text += "{\(sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ","))}"
      }
      text += " \(sample.value)\n"
    }
  }

  /// A family of one sample without labels.
  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    family(name, kind, help, [Sample([], value)])
  }

  struct Sample {
    var labels: [(String, String)]
    /// The suffix of a histogram's sample behind the family's name.
    var suffix = ""
    var value: String

    init(_ labels: [(String, String)], _ value: some CustomStringConvertible, suffix: String = "") {
      self.labels = labels
      self.suffix = suffix
      self.value = value.description
    }
  }

  private static func escaped(_ label: String) -> String {
    label.reduce(into: "") { result, character in
      switch character {
      case "\\", "\"": result += "\\\(character)"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
  }
}
