extension CellDefinition {
  /// The cell that exists where a configuration declares none: a label.
  public static let builtIn = CellDefinition(
    identifier: "TableViewCellWithLabel",
    registration: .nib("TableViewCellWithLabel"),
    fields: [Field(name: "title", type: .string)]
  )
}
