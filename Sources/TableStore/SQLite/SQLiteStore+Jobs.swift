import DequeModule
import GRDB

extension SQLiteStore {
  struct Jobs {
    var waiting: Deque<Job> = []
    /// The records to which a commit is about to be written whose rows are being written ahead.
    var ahead: Set<String> = []
    var isRunning = false
    var isClosed = false
    /// Old versions are being forgotten.
    var isForgetting = false
    /// The last group took no longer than a caller may be kept.
    var isQuick = false

    /// A commit to one of these records is being written ahead.
    func isAhead(of records: @autoclosure () -> [String]) -> Bool {
      !ahead.isEmpty && records().contains(where: ahead.contains)
    }
  }

  /// A job that waits for the writer.
  enum Job: Sendable {
    case commit(QueuedCommit)
    /// Performs and completes itself. It is about a record; nil: about any.
    case task(about: String?, @Sendable (Database, inout StoreWriter) -> Void)

    /// The records that it names.
    var records: [String] {
      switch self {
      case .commit(let pending): pending.commit.records
      case .task(let record, _): record.map { [$0] } ?? []
      }
    }
  }

  /// Jobs that wait for a commit that is being written ahead, and those that share a record with them: these may be built on
  /// them.
  struct HeldJobs {
    private(set) var jobs: [Job] = []
    private var records: Set<String> = []

    func shareRecord(with others: @autoclosure () -> [String]) -> Bool {
      !records.isEmpty && others().contains(where: records.contains)
    }

    mutating func append(_ job: Job) {
      jobs.append(job)
      records.formUnion(job.records)
    }
  }
}
