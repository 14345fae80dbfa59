import FieldValues

/// The key of an answer: its caller, table and request. An `Idempotency-Key` means something only to the caller that
/// has sent it, and only where it was sent.
public struct ReplyKey: Hashable, Sendable {
  /// The caller's name in the service: opaque here. It has to be the same in all processes.
  public var caller: String
  /// The table, for a member of a family the family: members come and go.
  public var table: String
  /// The request's method and path.
  public var scope: String
  public var key: String

  public init(caller: String, table: String, scope: String, key: String) {
    self.caller = caller
    self.table = table
    self.scope = scope
    self.key = key
  }
}

/// By their bytes, as databases compare them: Swift holds texts equal that are written differently.
extension ReplyKey {
  private var texts: [ByteText] { [ByteText(caller), ByteText(table), ByteText(scope), ByteText(key)] }

  public static func == (first: Self, second: Self) -> Bool { first.texts == second.texts }

  public func hash(into hasher: inout Hasher) {
    for text in texts {
      hasher.combine(text)
      // No byte of UTF-8: where one text ends.
      hasher.combine(0xff as UInt8)
    }
  }
}

/// The answer that an `Idempotency-Key` got, to be given again to a repeat.
public struct StoredReply: Equatable, Sendable {
  /// The table that was asked, as in ``ReplyKey``; nil: the commit's. Another one's items may be what it has changed.
  public var table: String?
  public var caller: String
  public var scope: String
  public var key: String
  /// A digest of the request, so that another request under the same key is noticed. Not a ``Fingerprint``, whose seed
  /// is new in every process: a digest such as SHA-256.
  public var request: [UInt8]
  public var status: Int
  public var headers: [Header]
  public var body: [UInt8]
  /// Seconds since 1970: forgotten from then on.
  public var expires: Int64

  public init(
    table: String? = nil,
    caller: String = "",
    scope: String = "",
    key: String,
    request: [UInt8],
    status: Int,
    headers: [Header],
    body: [UInt8],
    expires: Int64
  ) {
    self.table = table
    self.caller = caller
    self.scope = scope
    self.key = key
    self.request = request
    self.status = status
    self.headers = headers
    self.body = body
    self.expires = expires
  }

  public struct Header: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }
}

/// The state of the request that a key stands for.
public enum ReplyClaim: Equatable, Sendable {
  /// It is the caller's to do now.
  case granted
  case answered(StoredReply)
  /// Another process does it; what it was asked.
  case underWay(request: [UInt8])
}

extension StoredReply {
  /// Returns the key under which the answer is found.
  ///
  /// - Parameter table: the commit's.
  package func fullKey(table: String) -> ReplyKey {
    ReplyKey(caller: caller, table: self.table ?? table, scope: scope, key: key)
  }

  /// Returns the answer's share of a caller's bound: its bytes, and some for its existence.
  ///
  /// - Parameter table: the commit's.
  func size(table: String) -> Int {
    let texts = caller.utf8.count + (self.table ?? table).utf8.count + scope.utf8.count + key.utf8.count
    let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return 100 + texts + request.count + fields + body.count
  }

  /// The headers as a store writes them.
  var encodedHeaders: [UInt8] {
    var writer = RecordWriter()
    for header in headers {
      writer.write(header.name)
      writer.write(header.value)
    }
    return writer.bytes
  }

  static func headers(from bytes: [UInt8]) throws(RecordError) -> [Header] {
    var reader = RecordReader(bytes)
    var headers: [Header] = []
    while !reader.isAtEnd { headers.append(Header(name: try reader.string(), value: try reader.string())) }
    return headers
  }
}
