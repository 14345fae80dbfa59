import Observation
import TablecastClient
import TablecastUI

/// What the app does to its tasks, and how to take it back.
@MainActor
@Observable
final class TaskStore {
  let list: ObservedTable<Cell>
  /// Why the last edit was not done.
  private(set) var failure: String?
  private(set) var canUndo = false
  @ObservationIgnored private let tasks: TypedTable<Tables.Tasks, Cell>
  @ObservationIgnored private var undos: [() async throws -> Void] = []

  init(_ tasks: TypedTable<Tables.Tasks, Cell>) {
    self.tasks = tasks
    list = ObservedTable(tasks.live, offersFinding: true)
  }

  func add(_ title: String) {
    perform { [tasks] in
      let preview = Cell.taskCell(TaskCell(title: title, isDone: false))
      let row = try await tasks.add(TasksItem(title: title, done: false, section: .today), in: .today, preview: preview)
      return { try await tasks.delete(row) }
    }
  }

  func toggle(_ row: ObservedRow<Cell>) {
    guard case .taskCell(let task) = row.content.cell else { return }
    perform { [tasks] in
      try await tasks.patch(row.id, \.done, !task.isDone)
      return { try await tasks.patch(row.id, \.done, task.isDone) }
    }
  }

  func delete(_ row: ObservedRow<Cell>, from section: String) {
    guard case .taskCell(let task) = row.content.cell, let place = TasksItem.Section(rawValue: section) else { return }
    perform { [tasks] in
      try await tasks.delete(row.id)
      return { try await tasks.add(TasksItem(title: task.title, done: task.isDone, section: place), in: .init(rawValue: section)) }
    }
  }

  /// - Parameter destination: as SwiftUI counts, before the row is taken away.
  func move(from origin: Int, to destination: Int, in section: ObservedSection<Cell>) {
    let row = section.rows[origin].id
    let name = Tables.Tasks.Section(rawValue: section.id)
    perform { [tasks] in
      try await tasks.move(row, to: name, at: destination > origin ? destination - 1 : destination)
      return { try await tasks.move(row, to: name, at: origin) }
    }
  }

  /// The done tasks of the list's present window, at once or not at all.
  func deleteDone() {
    let done = list.sections.flatMap(\.rows).filter { row in
      if case .taskCell(let task) = row.content.cell { task.isDone } else { false }
    }.map(\.id)
    guard !done.isEmpty else { return }
    perform { [tasks] in
      try await tasks.batch { batch in
        for row in done { batch.delete(row) }
      }
      return nil
    }
  }

  func undo() {
    guard let undo = undos.popLast() else { return }
    canUndo = !undos.isEmpty
    perform {
      try await undo()
      return nil
    }
  }

  func retry(_ edit: EditStatus) { tasks.live.retry(edit.id) }
  func discard(_ edit: EditStatus) { tasks.live.discard(edit.id) }

  /// - Parameter edit: returns what takes it back.
  private func perform(_ edit: @escaping @MainActor () async throws -> (() async throws -> Void)?) {
    Task {
      do {
        guard let undo = try await edit() else { return }
        undos.append(undo)
        canUndo = true
        failure = nil
      } catch EditFailure.refused(_, let problem) {
        failure = problem.detail.isEmpty ? problem.title : problem.detail
      } catch { failure = "\(error)" }
    }
  }
}
