import TableModel
extension Table {
  func windowed(_ rows: WindowSize) -> Table { self }
}
