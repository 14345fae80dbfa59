import TableModel

extension PostgresStore {
  public func view(
    _ name: String,
    of table: String,
    completion: @escaping @Sendable (Result<StoredView?, StoreError>) -> Void
  ) {
    let question = PostgresStatement(
      "SELECT state FROM tablecast.view WHERE name = sha256($1) AND expires > clock_timestamp()",
      .bytes(Self.key(of: name, table))
    )
    let finish: @Sendable (Result<[UInt8]?, StoreError>) -> Void = { result in
      completion(
        result.flatMap { bytes in
          guard let bytes else { return .success(nil) }
          do throws(RecordError) {
            return .success(try StoredView(bytes))
          } catch {
            return .failure(.failed(error.description))
          }
        }
      )
    }
    askSide([question], finish) { $0.first?.bytes(0, 0) }
  }

  public func keep(
    _ view: StoredView,
    _ name: String,
    of table: String,
    after base: StoredView?,
    for lifetime: Duration,
    completion: @escaping @Sendable (Result<Bool, StoreError>) -> Void
  ) {
    // Compared whole: an epoch that began anew counts from 1 again.
    let statement = PostgresStatement(
      """
      INSERT INTO tablecast.view AS kept (name, taps, state, expires)
      SELECT sha256($1), $2, $3, clock_timestamp() + $4::bigint * interval '1 ms'
      WHERE $5::bytea IS NULL OR EXISTS (SELECT FROM tablecast.view WHERE name = sha256($1))
      ON CONFLICT (name) DO UPDATE SET taps = excluded.taps, state = excluded.state, expires = excluded.expires
        WHERE kept.state = $5 OR kept.expires <= clock_timestamp() AND $5 IS NULL
      RETURNING 1
      """,
      .bytes(Self.key(of: name, table)),
      .int(Int64(view.taps)),
      .bytes(view.bytes),
      .int(lifetime.milliseconds),
      base.map { .bytes($0.bytes) } ?? .null
    )
    askSide([statement], completion) { $0.first?.count == 1 }
  }

  /// Views are dropped when they are idle: what has expired is nobody's any more.
  static let viewExpiry = PostgresStatement("DELETE FROM tablecast.view WHERE expires <= clock_timestamp()")

  private static func key(of name: String, _ table: String) -> [UInt8] {
    var writer = RecordWriter()
    writer.write(table)
    writer.write(name)
    return writer.bytes
  }
}
