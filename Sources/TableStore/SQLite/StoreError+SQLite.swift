import GRDB

extension StoreError {
  /// Takes an error of the database, or of a record in it.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as RecordError: self = .corrupt(path: path, detail: error.description)
    // A type that the column never has: somebody else wrote it.
    case is RowDecodingError: self = .corrupt(path: path, detail: "a column has a value of another type")
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_FULL: self = .full
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy("another process holds \(path)")
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        self = .corrupt(path: path, detail: error.message ?? "not a database")
      default: self = .failed(error.message ?? "SQLite code \(error.extendedResultCode.rawValue)")
      }
    default: self = .failed(String(describing: error))
    }
  }
}
