extension StoredReply {
  /// The columns that ``read(_:of:)`` reads.
  static let columns = "request, status, headers, body, expires"

  /// Reads the ``columns`` of one row.
  static func read(_ found: PostgresRows, of key: ReplyKey) -> Result<StoredReply, StoreError> {
    do throws(RecordError) {
      return .success(
        StoredReply(
          caller: key.caller,
          scope: key.scope,
          key: key.key,
          request: found.bytes(0, 0) ?? [],
          status: Int(found.int(0, 1)),
          headers: try StoredReply.headers(from: found.bytes(0, 2) ?? []),
          body: found.bytes(0, 3) ?? [],
          expires: found.int(0, 4)
        )
      )
    } catch {
      return .failure(.failed(error.description))
    }
  }
}
