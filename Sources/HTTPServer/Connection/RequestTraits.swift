/// The properties of a request that its response needs, when the request itself is gone.
struct RequestTraits {
  var isHead = false
  var version = HTTPVersion.http11
  /// Makes the request's identity where `suppliedID` is nil.
  var serial: UInt64 = 0
  var suppliedID: [UInt8]?
  /// The index of the grant to its origin (`CrossOriginPolicy`).
  var grant: Int?
}
