import Queues
import TableMapping
import Upstream

/// The edits that an upstream has accepted and that are to be laid over its last answer, one after the other: each is built on
/// those before it. A value.
struct AnswerEdits {
  typealias Turn = @Sendable () -> Void

  private var isUnderWay = false
  private var waiting: [Turn] = []

  /// Takes an edit in. Returns it where its turn is now.
  mutating func begin(_ turn: @escaping Turn) -> Turn? {
    guard isUnderWay else {
      isUnderWay = true
      return turn
    }
    waiting.append(turn)
    return nil
  }

  /// An edit is laid over the answer, or is not to be. Returns the next one.
  mutating func end() -> Turn? {
    guard !waiting.isEmpty else {
      isUnderWay = false
      return nil
    }
    return waiting.removeFirst()
  }
}

extension SourceListeners {
  /// An answer with an edit, as a table shows it.
  typealias EditedAnswer = (content: SourceContent, number: UInt64)

  /// Lays an edit over the last answer, as one table finds the item in it, and shows it in its other languages and in all other
  /// tables that have the answer. On the sources' queue.
  ///
  /// - Parameters:
  ///   - lay: on the table's queue, when the table has been told all that the upstream has said, with all edits before this one.
  ///     Given whether the upstream has answered since this call, and so has the edit. Gives nil where it lays nothing.
  ///   - completion: on the sources' queue, when reads of the others wait for the edit; false: they are not told of it.
  func edit(
    through table: LiveTable,
    _ lay: @escaping @Sendable (_ isAnswered: Bool) -> EditedAnswer?,
    _ completion: @escaping @Sendable (_ isTold: Bool) -> Void
  ) {
    let asked = answer
    let turn: AnswerEdits.Turn = { [self] in
      let isAnswered = answer != asked
      table.writer.content.queue.async { [self] in
        let edited = lay(isAnswered)
        context.client.queue.async { [self] in
          completion(edited.map { take($0, from: table) } ?? true)
          last.access { $0.edits.end() }?()
        }
      }
    }
    last.access { $0.edits.begin(turn) }?()
  }

  private func take(_ edited: EditedAnswer, from table: LiveTable) -> Bool {
    guard edited.number == answer else { return feedsOnly(table) }
    let (present, failure) = last.access { ($0.content, $0.failure) }
    var content = edited.content
    content.shared = SharedMappings(after: present?.shared)
    for translation in table.allTranslations {
      give(.content(content, edited.number, failedSince: failure), to: translation, isEdit: true)
    }
    guard present != nil, let others = withReaders({ $0.hear(answer, laidOverBy: table) }) else {
      return feedsOnly(table)
    }
    last.access { $0.content = content }
    // The unread ones lack it from now on: their former handover holds no more.
    noteNews()
    for other in others { tell(other, isUpToDate: false, isEdit: true) }
    return true
  }
}
