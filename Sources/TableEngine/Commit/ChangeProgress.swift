import TableModel
import TableStore

/// The way of a request that changes a table, from its key to its answer: of an edit, a batch, a tap, and of what is sent to an
/// upstream. A value without I/O: events in, the next step out. ``ChangeRun`` carries the steps out.
///
/// ```
/// key ──▶ plan ──▶ committed ──▶ shown ──▶ kept ──▶ answer
///          ▲ │ refused                        ▲
///          │ ├──▶ what others have written is read: planned once more on that
///          │ └──▶ what has refused it is stored ┘
///          └────── undone, or another replica was first: planned again, but not for ever
/// ```
struct ChangeProgress: Sendable {
  /// The differences between kinds of changes.
  struct Terms: Sendable {
    /// Its answer is kept for repeats.
    var hasKey: Bool
    /// It can't be taken back, so the store has to answer before it is begun.
    var needsStore = false
    /// Another replica may have changed the reason for a refusal since.
    var othersWrite = false
    /// Versions with it are made by another replica, or stored nowhere: a repeat gets a present one.
    var isShownElsewhere = false
    /// Its key is claimed by nobody: another replica, which was sent the same, may be first.
    var mayBeDoneElsewhere = false
    /// The epoch of the client's table: an answer of another one, as to a request in another language, gets a cursor of this one. Nil:
    /// it is not looked at.
    var epoch: Epoch?
  }

  enum Event: Sendable {
    case begun
    /// Nothing is in the way of the next step: the store answers; nobody has used the key.
    case clear
    /// Its key has this answer.
    case known(EditResult)
    /// A commit that it was planned on, or waited for, was undone.
    case undone
    /// The same, after its own was given to the store: the one that it was planned on could not be stored for this reason.
    case baseFailed(StoreError)
    /// Another replica's commit was first.
    case superseded
    case refused(TableError)
    /// The content here, on which it would be planned, is older than the stored version.
    case behind
    /// Other replicas' commits were read; false: they could not be.
    case read(Bool)
    /// The content by which it was refused is stored.
    case stored
    /// It is shown here.
    ///
    /// - Parameter isKept: the answer was stored with it.
    case done(EditResult, isKept: Bool)
    /// It is stored, and another replica has to show it.
    case unseen(EditResult)
    /// After so long no version has it.
    case unseenStill(after: Duration)
    /// A version has it.
    case seen(EditResult)
    /// It could not be carried out, which says nothing about the request.
    case failed(TableError)
    /// The answer, which is kept now, or can't be.
    case kept(EditResult)
  }

  enum Step: Equatable, Sendable {
    case reachStore
    /// Look its key up, and claim it where that is asked for.
    case takeKey
    case plan
    case readOthers
    case awaitStored
    /// Look its key up once more: it was in another replica's hands, too.
    case lookUpKey
    case awaitVersion(EditResult)
    case keep(EditResult)
    case answer(EditResult)
  }

  private enum State: Sendable {
    case new
    /// The store, or the key, is asked.
    case asking
    case claiming
    case planning
    case reading
    case refusing(TableError)
    case showing(EditResult)
    case keeping
    case answered
  }

  private let terms: Terms
  private var state = State.new
  /// Nothing that another replica has written is unknown here.
  private var isUpToDate = false
  private var conflicts = 0
  private var failedBases = 0

  /// A change is planned so often where other replicas commit at the same time.
  static let mostConflicts = 50
  /// So often is a change planned anew where what it was planned on could not be stored. What was too large alone is no reason against
  /// those behind it; where nothing can be stored, each would be tried until all before it are refused.
  static let mostFailedBases = 3
  /// So long is another replica's version waited for.
  static let patience = Duration.seconds(5)

  init(_ terms: Terms) { self.terms = terms }

  /// Returns what is to be done next; nil: nothing, as it is answered. O(1).
  mutating func next(_ event: Event) -> Step? {
    switch (state, event) {
    case (.answered, _):
      assertionFailure("\(event) of an answered change")
      return nil
    case (_, .failed(let error)): return answer(.failure(error))
    case (.new, .begun) where terms.needsStore: return go(.asking, .reachStore)
    case (.new, .begun), (.asking, .clear): return terms.hasKey ? go(.claiming, .takeKey) : go(.planning, .plan)
    case (.claiming, .clear): return go(.planning, .plan)
    case (.claiming, .known(.success(let answer))) where isToBeShown(answer),
      (.keeping, .known(.success(let answer))) where isToBeShown(answer):
      return show(.success(answer))
    case (.claiming, .known(let outcome)), (.keeping, .known(let outcome)): return answer(outcome)
    case (.planning, .undone), (.refusing, .undone): return planAgain()
    case (.planning, .baseFailed(let error)):
      failedBases += 1
      return failedBases > Self.mostFailedBases ? answer(.failure(TableError(ofBase: error))) : planAgain()
    case (.planning, .superseded):
      conflicts += 1
      return conflicts > Self.mostConflicts ? answer(.failure(TableError(StoreError.superseded))) : planAgain()
    case (.planning, .refused(let error)):
      guard terms.othersWrite, !isUpToDate, error.isOfContent else { return go(.refusing(error), .awaitStored) }
      return go(.reading, .readOthers)
    case (.planning, .behind): return isUpToDate ? answer(.failure(.itemsBehind)) : go(.reading, .readOthers)
    case (.reading, .read(let isRead)):
      isUpToDate = isRead
      return isRead ? go(.planning, .plan) : answer(.failure(TableError(.unreadable)))
    case (.refusing(let error), .stored): return keep(.failure(error))
    case (.planning, .done(let outcome, let isKept)): return isKept ? answer(outcome) : keep(outcome)
    case (.planning, .unseen(let outcome)): return show(outcome)
    case (.showing(let outcome), .unseenStill(let waited)):
      return waited < Self.patience ? show(outcome) : answer(.failure(.storedUnseen))
    case (.showing, .seen(let outcome)): return answer(outcome)
    case (.keeping, .kept(let outcome)): return answer(outcome)
    case (.new, _), (.asking, _), (.claiming, _), (.planning, _), (.reading, _), (.refusing, _), (.showing, _),
      (.keeping, _):
      assertionFailure("\(event), \(state)")
      return answer(.failure(.outOfTurn))
    }
  }

  /// Returns whether a repeat gets the cursor of a present version.
  private func isToBeShown(_ answer: EditAnswer) -> Bool {
    terms.isShownElsewhere || terms.epoch.map { $0 != answer.cursor.epoch } ?? false
  }

  private mutating func go(_ state: State, _ step: Step) -> Step {
    self.state = state
    return step
  }

  private mutating func planAgain() -> Step {
    terms.hasKey && terms.mayBeDoneElsewhere ? go(.claiming, .lookUpKey) : go(.planning, .plan)
  }

  private mutating func show(_ outcome: EditResult) -> Step { go(.showing(outcome), .awaitVersion(outcome)) }

  private mutating func keep(_ outcome: EditResult) -> Step { go(.keeping, .keep(outcome)) }

  private mutating func answer(_ outcome: EditResult) -> Step { go(.answered, .answer(outcome)) }
}

extension StoreError {
  /// Nobody can tell what other replicas have written.
  static let unreadable = StoreError.unavailable("the database does not answer")
}
