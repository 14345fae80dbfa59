/// A row's cell, then its fallbacks in order: one at least, and nearly always just one, which needs no memory of its own.
public struct CellChain: RandomAccessCollection, Sendable {
  private let cell: CellPart
  private let fallbacks: [CellPart]

  public init(_ cell: CellPart, fallbacks: [CellPart] = []) { (self.cell, self.fallbacks) = (cell, fallbacks) }

  /// Nil where there is no cell.
  public init?(_ cells: some Sequence<CellPart>) {
    var cells = cells.makeIterator()
    guard let first = cells.next() else { return nil }
    self.init(first, fallbacks: Array(IteratorSequence(cells)))
  }

  /// With each cell at another place of a row's encoding.
  public func moved(_ place: (Range<Int>) -> Range<Int>) -> CellChain {
    func move(_ part: CellPart) -> CellPart {
      CellPart(cellIdentifier: part.cellIdentifier, payload: place(part.payload))
    }
    return CellChain(move(cell), fallbacks: fallbacks.map { move($0) })
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { fallbacks.count + 1 }

  public subscript(position: Int) -> CellPart { position == 0 ? cell : fallbacks[position - 1] }
}

/// One cell of a row's chain of fallbacks, as a part of the row's encoding.
public struct CellPart: Sendable {
  public let cellIdentifier: String
  private let span: ByteSpan

  public init(cellIdentifier: String, payload: Range<Int>) {
    (self.cellIdentifier, span) = (cellIdentifier, ByteSpan(payload))
  }

  /// The place of the payload object in the row's `encoded`.
  public var payload: Range<Int> { span.range }
}

/// A part of a row's bytes, which are less than 4 GB, in half of the memory that a range takes: there are many rows.
struct ByteSpan: Sendable {
  private let start: UInt32
  private let end: UInt32

  init(_ range: Range<Int>) {
    (start, end) = (UInt32(truncatingIfNeeded: range.lowerBound), UInt32(truncatingIfNeeded: range.upperBound))
  }

  /// None, without a byte more that would tell so.
  init(_ range: Range<Int>?) { self = range.map { ByteSpan($0) } ?? ByteSpan(Int(UInt32.max)..<Int(UInt32.max)) }

  var range: Range<Int> { Int(start)..<Int(end) }

  /// Nil: none.
  var optionalRange: Range<Int>? { start == .max ? nil : range }
}
