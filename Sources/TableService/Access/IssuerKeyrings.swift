import Definitions
import Logging
import Synchronization

/// The keepers of all issuers' keys: one goes on while configurations have its issuer with the same place of its keys, so
/// that reading a configuration again takes nobody's keys away.
final class IssuerKeyrings: Sendable {
  private let fetcher = KeyFetcher()
  private let logger: Logger
  private let onRevocation: @Sendable () -> Void
  private let current = Mutex<[(definition: JWTDefinition, keeper: KeyKeeper)]>([])

  init(_ logger: Logger, onRevocation: @escaping @Sendable () -> Void) {
    (self.logger, self.onRevocation) = (logger, onRevocation)
  }

  /// Returns the keepers of a configuration's issuers, in its order. All of them fetch from now on: an operator who has
  /// replaced a file wants it read.
  func keepers(of definitions: [JWTDefinition]) -> [KeyKeeper] {
    let keepers = current.withLock { current in
      let next = definitions.map { definition in
        let known = current.first { $0.definition.issuer == definition.issuer && $0.definition.keys == definition.keys }
        return (definition, known?.keeper ?? KeyKeeper(definition, fetcher, logger, onRevocation: onRevocation))
      }
      current = next
      return next.map(\.1)
    }
    for keeper in keepers { keeper.fetch() }
    return keepers
  }
}
