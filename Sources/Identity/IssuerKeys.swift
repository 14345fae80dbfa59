import JSON

/// The keys of one issuer over time: when they are fetched, from where, and which ones count meanwhile. A state machine
/// without I/O: its owner carries out each ``Step``, and holds a lock around it.
///
/// One fetch is under way at a time. Keys that were fetched count until others are: an issuer that can't be reached takes
/// nobody's keys away.
package struct IssuerKeys: Sendable {
  /// The place of the keys.
  package enum Location: Equatable, Sendable {
    case file(String)
    case url(String)
    /// The address in the issuer's own document (OpenID Connect Discovery 1.0 section 4).
    case discovered(issuer: String)
  }

  /// Something to read; what it says is given to ``received(_:at:)``.
  package enum Step: Equatable, Sendable {
    case read(file: String)
    case get(url: String)
  }

  /// How it goes on after an answer.
  package enum Progress: Equatable, Sendable {
    case next(Step)
    /// The keys are others now. `isRevoking`: one that there was is gone.
    case changed(isRevoking: Bool)
    case unchanged
    /// The keys are those that there were: words for the operator.
    case failed(String)
  }

  /// The fate of a token whose key is not known.
  package enum Miss: Equatable, Sendable {
    /// It is known soon, or not: the step begins a fetch where none is under way.
    case wait(Step?)
    /// It was looked for a moment ago.
    case refuse
  }

  private enum State: Equatable {
    case resting
    case discovering
    case fetching
  }

  package static let age = Duration.seconds(600)
  package static let cooldown = Duration.seconds(30)

  package private(set) var keys = KeySet.empty
  /// Nobody can be judged before.
  package private(set) var haveCome = false
  private let location: Location
  private var state = State.resting
  /// When the last fetch ended, and whether it brought keys.
  private var last: (end: Duration, isGood: Bool)?

  package init(_ location: Location) { self.location = location }

  package var isUnderWay: Bool { state != .resting }

  /// When ``due(at:)`` should be asked next; nil while a fetch is under way.
  package var deadline: Duration? {
    guard state == .resting else { return nil }
    return last.map { $0.end + ($0.isGood ? Self.age : Self.cooldown) } ?? .zero
  }

  /// Begins a fetch, where it is time for one.
  package mutating func due(at now: Duration) -> Step? {
    guard let deadline, deadline <= now else { return nil }
    return begin()
  }

  /// Begins a fetch though it is not time: the operator has asked for it. Nil while one is under way.
  package mutating func demanded() -> Step? { state == .resting ? begin() : nil }

  /// A token names a key that is not known.
  package mutating func missed(at now: Duration) -> Miss {
    guard state == .resting else { return .wait(nil) }
    if let last, now < last.end + Self.cooldown { return .refuse }
    return .wait(begin())
  }

  /// Takes the result of a step.
  package mutating func received(_ answer: Result<[UInt8], KeyRefusal>, at now: Duration) -> Progress {
    do throws(KeyRefusal) {
      let text = try answer.get()
      if state == .discovering {
        state = .fetching
        return .next(.get(url: try Self.keysURL(text, location)))
      }
      let fetched = try KeySet(parsing: text)
      let known = keys
      (keys, haveCome, state, last) = (fetched, true, .resting, (now, true))
      let isRevoking = known.keys.contains { !fetched.has($0) }
      return isRevoking || fetched.keys.contains { !known.has($0) } ? .changed(isRevoking: isRevoking) : .unchanged
    } catch {
      (state, last) = (.resting, (now, false))
      return .failed(error.description)
    }
  }

  private mutating func begin() -> Step {
    switch location {
    case .file(let path):
      state = .fetching
      return .read(file: path)
    case .url(let url):
      state = .fetching
      return .get(url: url)
    case .discovered(let issuer):
      state = .discovering
      return .get(url: Self.documentURL(issuer))
    }
  }

  /// OpenID Connect Discovery 1.0 section 4: below the issuer's path.
  private static func documentURL(_ issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  /// Section 4.3: a document of another issuer is not believed.
  private static func keysURL(_ text: [UInt8], _ location: Location) throws(KeyRefusal) -> String {
    let limits = JSONLimits(maximumBytes: KeySet.maximumBytes, maximumDepth: 16, allowsRepair: false)
    guard case .discovered(let issuer) = location, let document = try? JSONValue(parsing: text, limits: limits) else {
      throw KeyRefusal("the issuer's document is no JSON")
    }
    guard case .string(let named)? = document["issuer"], named.utf8.elementsEqual(issuer.utf8) else {
      throw KeyRefusal("the issuer's document is of another `issuer`")
    }
    guard case .string(let url)? = document["jwks_uri"] else {
      throw KeyRefusal("the issuer's document has no `jwks_uri`")
    }
    return url
  }
}
