import Definitions
import Expressions
import JSON
import TableMapping
import TableModel

/// A table whose rows show an item of another source, one of which changes.
struct LookupBenchmark {
  private let mapper: TableMapper
  private let items: [UInt8]
  private let users = 2000

  init(items: Int) throws {
    var table = TableDefinition(name: "issues", title: "Issues", source: "issues")
    table.rowID = try Template(text: "${number}")
    table.lookups = [
      LookupDefinition(name: "user", source: "users", key: try Expression("id"), on: try Expression("assignee"))
    ]
    table.cell = CellMapping(
      cell: "IssueCell",
      payload: try Template(["title": "#${number} ${title}", "author": "${$user.name}"], lookups: ["user"])
    )
    let fields: [CellDefinition.Field] = [.init(name: "title", type: .string), .init(name: "author", type: .string)]
    mapper = try TableMapper(table: table, cells: [CellDefinition(identifier: "IssueCell", fields: fields)])
    let users = users
    let list = (0..<items).map { number in
      JSONValue.object([
        .init(name: "number", value: .integer(Int64(number))),
        .init(name: "title", value: .string("Issue no. \(number)")),
        .init(name: "assignee", value: .integer(Int64(number % users))),
      ])
    }
    self.items = JSONValue.array(list).bytes
  }

  /// Prints the median milliseconds of a change, and of mapping everything.
  func run(times: Int) throws {
    let content = SourceContent.pages([items])
    var (cold, last) = milliseconds { mapper.map(["issues": content, "users": users(changed: 0)]) }
    var changes: [Double] = []
    var anew = 0
    for time in 1...times {
      let users = users(changed: time)
      let (elapsed, result) = milliseconds {
        mapper.map(["issues": content, "users": users], after: last)
      }
      changes.append(elapsed)
      anew = zip(last.sections[0].rows, result.sections[0].rows).count { $0 !== $1 }
      last = result
    }
    changes.sort()
    cold = min(cold, milliseconds { mapper.map(["issues": content, "users": users(changed: 0)]) }.0)
    print("{\"rows\":\(last.sections[0].rows.count),\"anew\":\(anew),\"change\":\(changes[times / 2]),\"all\":\(cold)}")
  }

  private func users(changed time: Int) -> SourceContent {
    let list = (0..<users).map { user in
      JSONValue.object([
        .init(name: "id", value: .integer(Int64(user))),
        .init(name: "name", value: .string(user == 7 ? "changed \(time)" : "User \(user)")),
      ])
    }
    return .pages([JSONValue.array(list).bytes])
  }
}
