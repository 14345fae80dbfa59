public import Expressions

/// How a type of item is shown.
public indirect enum RepresentationDefinition: Sendable {
  case cell(CellMapping)
  /// The first whose `when` holds; none is the default.
  case cases([Case])
  /// Another representation, by name.
  case use(String)

  public struct Case: Sendable {
    /// Nil: always.
    public var when: Expression?
    public var representation: RepresentationDefinition

    public init(when: Expression?, representation: RepresentationDefinition) {
      (self.when, self.representation) = (when, representation)
    }
  }
}

/// A cell and how its payload is made from an item. Headers and footers have one too.
public struct CellMapping: Sendable {
  public var cell: String
  /// Always the template of an object.
  public var payload: Template
  public var select: Template?

  public init(cell: String, payload: Template, select: Template? = nil) {
    (self.cell, self.payload, self.select) = (cell, payload, select)
  }
}
