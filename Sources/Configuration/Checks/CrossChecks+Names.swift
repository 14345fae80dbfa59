import Definitions
import FieldValues

extension CrossChecks {
  /// Everything that is named is declared.
  func checkNames() {
    let sources = declarations(.source).map(\.value)
    let knownSources = Set(sources)
    for use in reading.uses {
      switch use.kind {
      case .source where knownSources.contains(use.name.value): break
      case .source: check(use, "source", among: sources)
      case .cell: check(use, "cell", among: definition.cells.map(\.identifier) + declarations(.cell).map(\.value))
      case .representation(let table):
        let own = table.map { declarations(.representation(table: $0)).map(\.value) } ?? []
        check(use, "representation", among: own + declarations(.representation(table: nil)).map(\.value))
      case .table: break
      }
    }
  }

  private func check(_ use: Use, _ noun: String, among names: [String]) {
    guard !names.contains(use.name.value) else { return }
    let near = Nearest.name(to: use.name.value, among: names)
    reading.error(
      at: use.name.place,
      "there is no \(noun) \(excerpt(use.name.value))",
      near.map { "did you mean '\($0)'?" }
        ?? (names.isEmpty ? "declare one under `\(noun)s`" : "there is \(some(names))")
    )
  }

  /// A cell is defined and declared: each name stands once.
  private func some(_ names: [String]) -> String {
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    return names.count > 6
      ? names.prefix(6).joined(separator: ", ") + " …"
      : together(names)
  }
}
