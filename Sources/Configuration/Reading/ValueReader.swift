/// Reads one kind of value from YAML, and says what it reads: the decoder, its messages and the JSON Schema are made
/// from the same.
struct ValueReader<Value>: Sendable {
  var schema: SchemaNode
  /// Nil where the value is wrong: then the reading has a diagnostic that says so.
  var read: @Sendable (YAMLNode, Reading) -> Value?

  init(_ schema: SchemaNode, read: @escaping @Sendable (YAMLNode, Reading) -> Value?) {
    self.schema = schema
    self.read = read
  }

  func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> ValueReader<Other> {
    ValueReader<Other>(schema) { node, reading in read(node, reading).map(transform) }
  }
}

/// A key of a mapping in the configuration.
struct Key<Value>: Sendable {
  let name: String
  let reader: ValueReader<Value>
  /// The meaning, for the reference and for editors.
  let documentation: String
  /// With a required key: what could stand there.
  let example: String?
  let secrecy: Secrecy

  /// A key that may be left out.
  init(_ name: String, _ reader: ValueReader<Value>, secrecy: Secrecy = .none, _ documentation: String) {
    self.name = name
    self.reader = reader
    self.secrecy = secrecy
    self.documentation = documentation
    example = nil
  }

  /// A key that must be there.
  init(
    required name: String,
    _ reader: ValueReader<Value>,
    secrecy: Secrecy = .none,
    example: String,
    _ documentation: String
  ) {
    self.name = name
    self.reader = reader
    self.secrecy = secrecy
    self.documentation = documentation
    self.example = example
  }

  var description: KeyDescription {
    KeyDescription(
      name: name,
      schema: reader.schema,
      documentation: documentation,
      isRequired: example != nil,
      secrecy: secrecy
    )
  }
}

/// The secrecy of a key's value: it decides what goes into digests that leave the process (``CanonicalContent``).
enum Secrecy: Sendable {
  case none
  /// A part of a request to an upstream, which may hold credentials, and decides what comes of it.
  case request
  /// Credentials: they may differ between replicas while they are being replaced.
  case credentials
  /// A secret that decides nothing about tables.
  case secret
}

/// A key without the type of its value.
struct KeyDescription: Sendable {
  var name: String
  var schema: SchemaNode
  var documentation: String
  var isRequired: Bool
  var secrecy: Secrecy
}

/// The keys of one kind of mapping, and what is made of them.
protocol ObjectKeys: Sendable {
  associatedtype Value
  /// The name of its schema.
  static var name: String { get }
  /// For messages: `a source`.
  static var noun: String { get }
  static var keys: [KeyDescription] { get }
  /// Nil where nothing can be made of it: then the reading has a diagnostic that says why.
  static func value(of object: ObjectReader) -> Value?
}
