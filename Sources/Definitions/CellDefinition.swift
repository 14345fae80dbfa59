public import Expressions

/// One kind of cell that clients can show: what `cells.NAME` declares.
public struct CellDefinition: Sendable {
  public var identifier: String
  /// The class or nib that an iOS client registers for the identifier.
  public var registration: Registration?
  public var version: Int
  public var fields: [Field]
  /// The boolean field that a tap toggles.
  public var expands: String?
  /// The cell shown instead where this one can't be; its fields are taken over by name.
  public var fallback: String?
  /// The selection of a row with this cell, unless the representation has its own.
  public var select: Template?

  public init(
    identifier: String,
    registration: Registration? = nil,
    version: Int = 1,
    fields: [Field] = [],
    expands: String? = nil,
    fallback: String? = nil,
    select: Template? = nil
  ) {
    self.identifier = identifier
    self.registration = registration
    self.version = version
    self.fields = fields
    self.expands = expands
    self.fallback = fallback
    self.select = select
  }

  public enum Registration: Equatable, Sendable {
    case `class`(String)
    case nib(String)
  }

  public struct Field: Equatable, Sendable {
    public var name: String
    public var type: FieldType
    public var isOptional: Bool

    public init(name: String, type: FieldType, isOptional: Bool = false) {
      (self.name, self.type, self.isOptional) = (name, type, isOptional)
    }
  }
}

/// The type of a payload's field.
public indirect enum FieldType: Equatable, Sendable {
  case string, number, integer, boolean, url, date, object, any
  case list(FieldType)
  case oneOf([String])
}
