import Digests

/// The holder that views are counted by: a token, else an address (an IPv6 /64). A digest, the same in all processes:
/// views are kept with it, and nobody's address is.
struct ViewHolder: Hashable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(_ name: String) {
    rawValue = SHA256.digest(of: Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
