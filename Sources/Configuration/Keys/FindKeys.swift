import Definitions
import Expressions
import JSON

enum FindKeys: ObjectKeys {
  static let name = "Find"
  static let noun = "what a table is searched by"

  static let prompt = Key("prompt", .title, "Stands in the empty search field. Without it, clients show no such field.")
  static let search = Key(
    "search",
    .searchedTexts,
    "The texts of an item that are searched, by the beginnings of words."
  )
  static let filters = Key(
    "filters",
    .map(of: .object(FindFilterKeys.self), noun: "the filters", names: .url),
    "The filters, by name, in this order."
  )
  static let sorts = Key(
    "sorts",
    .map(of: .object(FindSortKeys.self), noun: "the sorts", names: .url),
    "The sorts that readers may choose, by name."
  )

  static let keys = [prompt.description, search.description, filters.description, sorts.description]

  static func value(of object: ObjectReader) -> FindDefinition? {
    var find = FindDefinition()
    find.prompt = object[prompt]?.asTemplate
    object.set(&find.search, from: search)
    find.filters = (object[filters] ?? []).map { name, filter in
      FindDefinition.Filter(
        id: name.value,
        title: filter.title ?? Template(constant: .string(name.value)),
        value: filter.value,
        titles: filter.titles
      )
    }
    find.sorts = (object[sorts] ?? []).map { name, sort in
      sort.definition(named: name.value)
    }
    if find.filters.count > maximumFilters {
      object.reading.error(
        at: object.place(of: filters),
        "\(find.filters.count) filters",
        "a table has at most \(maximumFilters)"
      )
    }
    if object.present(of: [search.name, filters.name, sorts.name]).isEmpty {
      object.reading.error(
        at: object.place,
        "nothing is offered to be found by",
        "write for example `search: [title]`, or leave 'find' out"
      )
    }
    return find
  }

  /// Each is counted for every search.
  private static let maximumFilters = 32
}

enum FindFilterKeys: ObjectKeys {
  static let name = "FindFilter"
  static let noun = "a filter"

  struct Filter: Sendable {
    var title: Template?
    var value: Expression
    var titles: [(value: String, title: Template)]
  }

  static let title = Key("title", .title, "The title that users see. Default: the name.")
  static let by = Key(
    required: "by",
    .expression,
    example: "state",
    "An item's value: a text, a number or a boolean; of a list each element is one. Null and `\"\"` are the value `none`."
  )
  static let titles = Key(
    "titles",
    .map(of: .title, noun: "the titles", names: .value),
    "Titles of some values; these come first, in this order, even if no row has them. `\"\"` is the value `none`."
  )

  /// The value of items whose value is null or empty.
  private static let noValue = "none"

  static let keys = [title.description, by.description, titles.description]

  static func value(of object: ObjectReader) -> Filter? {
    let (title, titles) = (object[title], object[titles] ?? [])
    let isNamed = titles.contains { $0.name.value == noValue }
    for entry in titles where isNamed && entry.name.value.isEmpty {
      object.reading.error(
        at: entry.name.place,
        "a second title of the value `none`",
        "keep one of them: `\"\"` is the value `none`"
      )
    }
    return object[by].map { value in
      Filter(
        title: title?.asTemplate,
        value: value,
        titles: titles.compactMap { name, title in
          title.asTemplate.map { (name.value.isEmpty ? noValue : name.value, $0) }
        }
      )
    }
  }
}

enum FindSortKeys: ObjectKeys {
  static let name = "FindSort"
  static let noun = "a sort"

  struct Sort: Sendable {
    var title: Template?
    var key: Expression
    var direction: SortDirection
    var locale: Template?
    var isNatural: Bool
    var keepsSections: Bool

    func definition(named id: String) -> FindDefinition.Sort {
      FindDefinition.Sort(
        id: id,
        title: title ?? Template(constant: .string(id)),
        key: key,
        isDescending: direction == .descending,
        locale: locale,
        isNatural: isNatural,
        keepsSections: keepsSections
      )
    }
  }

  static let title = Key("title", .title, "The title that users see. Default: the name.")
  static let by = Key(required: "by", .expression, example: "created_at", "The value to sort by.")
  static let order: Key<SortDirection> = Key("order", .word, "`ascending` (the default), or `descending`.")
  static let (locale, natural) = (SortKeys.locale, SortKeys.natural)
  static let sections = Key(
    "sections",
    .boolean,
    "Rows stay in their sections; without, all stand in one section. Default: true."
  )

  static let keys = [
    title.description, by.description, order.description, locale.description, natural.description, sections.description,
  ]

  static func value(of object: ObjectReader) -> Sort? {
    let (title, order, locale) = (object[title], object[order], object[locale])
    let (natural, sections) = (object[natural], object[sections])
    return object[by].map {
      Sort(
        title: title?.asTemplate,
        key: $0,
        direction: order ?? .ascending,
        locale: locale,
        isNatural: natural ?? false,
        keepsSections: sections ?? true
      )
    }
  }
}

extension Title {
  fileprivate var asTemplate: Template? { template ?? constant.map { Template(constant: .string($0)) } }
}

extension ValueReader where Value == [Expression] {
  /// A list of expressions, or one.
  static let searchedTexts = ValueReader.either(
    ValueReader<Expression>.expression.map { [$0] },
    when: { $0.elements == nil },
    or: .list(of: .expression, noun: "the searched texts", atLeast: 1)
  )
}
