/// The state that a process leaves to the next one that asks the upstream: when the next request is due, and the
/// validators of a conditional request. Instants count from any fixed point that both know.
public struct SourceHandover: Codable, Equatable, Sendable {
  /// When the next poll is due; nil: only when asked.
  public var due: Duration?
  /// Until when the upstream wants to be left alone (`Retry-After`).
  public var heldUntil: Duration?
  /// Failed refreshes in a row.
  public var failures = 0
  public var hasWorked = false
  /// The interval by `Cache-Control: max-age`, where it is longer than `every`.
  public var lengthened: Duration?
  /// The validators of the last answer, where it was one response with validators.
  public var validators: Validators?

  public init() {}

  /// The validators of a conditional request (RFC 9110 section 13), and the answer that a 304 then stands for.
  public struct Validators: Codable, Equatable, Sendable {
    public var entityTag: String?
    public var lastModified: String?
    public var itemCount: Int
    /// The list had more items than it may.
    public var isCut: Bool

    public init(entityTag: String?, lastModified: String?, itemCount: Int, isCut: Bool) {
      (self.entityTag, self.lastModified) = (entityTag, lastModified)
      (self.itemCount, self.isCut) = (itemCount, isCut)
    }

    /// Longer ones stay where they are: the record is small.
    static let maximumLength = 1024
  }

  /// True if a source can have left it: a process that shares the database may have written anything, and durations of
  /// any length can't be added up.
  public var isPlausible: Bool {
    let times = [due, heldUntil, lengthened].compactMap { $0 }
    return times.allSatisfy { $0 <= Self.longest && .zero - Self.longest <= $0 }
      && (0...Self.mostFailures).contains(failures) && (validators?.itemCount ?? 0) >= 0
  }

  /// Longer than any machine is up, and any interval that a configuration may have.
  private static let longest = Duration.seconds(100 * 366 * 86_400)
  private static let mostFailures = 1 << 40

  /// The same, its instants so much later.
  public func shifted(by duration: Duration) -> SourceHandover {
    var shifted = self
    shifted.due = due.map { $0 + duration }
    shifted.heldUntil = heldUntil.map { $0 + duration }
    return shifted
  }
}
