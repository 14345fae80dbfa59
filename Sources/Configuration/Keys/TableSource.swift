import Definitions

/// A table's `source`.
enum TableSource: Sendable {
  case named(Located<String>)
  case inline(DeclaredSource)
}

extension ValueReader where Value == TableSource {
  static let tableSource = ValueReader.either(
    ValueReader<Located<String>>.sourceName.map(TableSource.named),
    when: { $0.entries == nil },
    or: ValueReader<DeclaredSource>.object(SourceKeys.self).map(TableSource.inline)
  )
}
