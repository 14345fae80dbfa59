public import JSON
public import TableModel

extension JSONWriter {
  /// A table as `GET /v1/tables/{table}` answers it. O(bytes): rows are copied, not encoded.
  ///
  /// - Parameter seen: a row as it is shown. Nil: as it is.
  public mutating func write(snapshot table: Table, cursor: Cursor, seenAs seen: ((Row) -> Row)? = nil) {
    beginObject()
    name("table")
    write(table.name)
    name("cursor")
    write(cursor.description)
    name("state")
    write(table.state.rawValue)
    name("title")
    write(table.title)
    if let problem = table.problem {
      name("problem")
      write(problem)
    }
    name("animation")
    write(table.animation)
    if table.isForEdges {
      name("edges")
      write(true)
    }
    name("sections")
    write(list: table.sections) { $0.write($1, seenAs: seen) }
    name("counts")
    write(table.counts)
    if table.isTruncated {
      name("truncated")
      write(true)
    }
    if let window = table.window {
      name("window")
      write(window)
    }
    if let find = table.find {
      name("find")
      write(find)
    }
    endObject()
  }

  /// `{"id","header","footer","skipped","rows"}`; header and footer are null where there is none, `skipped` is left out
  /// where it is 0.
  mutating func write(_ section: Section, seenAs seen: ((Row) -> Row)? = nil) {
    beginObject()
    name("id")
    write(section.id)
    name("header")
    write(section.header)
    name("footer")
    write(section.footer)
    if section.skipped > 0 {
      name("skipped")
      write(section.skipped)
    }
    name("rows")
    if let seen {
      write(list: section.rows) { $0.write(raw: seen($1).encoded) }
    } else {
      write(list: section.rows) { $0.write(raw: $1.encoded) }
    }
    endObject()
  }

  mutating func write(_ model: CellModel?) {
    if let model { write(raw: model.encoded) } else { writeNull() }
  }

  mutating func write(_ problem: Problem) {
    beginObject()
    name("title")
    write(problem.title)
    name("detail")
    write(problem.detail)
    name("since")
    write(problem.since)
    endObject()
  }

  mutating func write(_ animation: AnimationConfiguration) {
    beginObject()
    name("insert")
    write(animation.insert.rawValue)
    name("delete")
    write(animation.delete.rawValue)
    name("reload")
    write(animation.reload.rawValue)
    endObject()
  }

  mutating func write(_ counts: Counts) {
    beginObject()
    name("sections")
    write(counts.sections)
    name("rows")
    write(counts.rows)
    name("omittedSections")
    write(counts.omittedSections)
    name("skippedItems")
    write(counts.skippedItems)
    endObject()
  }

  mutating func write(_ window: Window) {
    beginObject()
    if window.range.from > 0 {
      name("from")
      write(window.range.from)
    }
    name("rows")
    write(window.range.rows)
    name("of")
    write(window.of)
    endObject()
  }

  /// `{"prompt","sort","sorts","filters"}`; what there is none of is left out.
  public mutating func write(_ find: FindMenu) {
    beginObject()
    if let prompt = find.prompt {
      name("prompt")
      write(prompt)
    }
    if let sort = find.sort {
      name("sort")
      write(sort)
    }
    if !find.sorts.isEmpty {
      name("sorts")
      write(list: find.sorts) { writer, sort in
        writer.beginObject()
        writer.name("id")
        writer.write(sort.id)
        writer.name("title")
        writer.write(sort.title)
        writer.endObject()
      }
    }
    if !find.filters.isEmpty {
      name("filters")
      write(list: find.filters) { $0.write($1) }
    }
    endObject()
  }

  private mutating func write(_ filter: FindMenu.Filter) {
    beginObject()
    name("id")
    write(filter.id)
    name("title")
    write(filter.title)
    name("values")
    write(list: filter.values) { writer, value in
      writer.beginObject()
      writer.name("value")
      writer.write(String(decoding: value.value, as: UTF8.self))
      writer.name("title")
      writer.write(value.title)
      writer.name("count")
      writer.write(value.count)
      writer.name("selected")
      writer.write(value.isSelected)
      writer.endObject()
    }
    if filter.hasMore {
      name("more")
      write(true)
    }
    endObject()
  }

  /// `[section,row]`
  public mutating func write(_ path: IndexPath) {
    beginArray()
    write(path.section)
    write(path.row)
    endArray()
  }

  /// `[…]`, one element a call.
  public mutating func write<Element>(list: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
    beginArray()
    for element in list { write(&self, element) }
    endArray()
  }
}
