/// What a response needs to know of its request, when the request itself is gone.
struct RequestTraits {
  var isHead = false
  var version = HTTPVersion.http11
  /// Makes the request's identity where `suppliedID` is nil.
  var serial: UInt64 = 0
  var suppliedID: [UInt8]?
  /// What its origin is granted (`CrossOriginPolicy`).
  var grant: Int?
}
