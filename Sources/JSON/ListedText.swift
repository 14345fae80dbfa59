internal import Synchronization

/// A JSON text with a list in it, and where the list's elements stand: found once, by whoever checks the text, for all who
/// read it (``ListReader``).
///
/// Its brackets are known to match and its strings to be closed; whether an element is JSON shows when it is read.
///
/// Where a text like it was seen before, the elements of that are recognised from their bytes, in the same pass. Immutable.
public final class ListedText: Sendable {
  public let bytes: [UInt8]
  /// The list's path in the text; empty: the text is the list.
  public let path: JSONPath
  public let elements: [Element]
  /// The name of the text in messages, as the URL that it came from; nil: it has none.
  public let name: String?
  /// How many elements the list has, those included of which it is not known where they stand.
  public let count: Int
  /// The range between the list's brackets.
  private let inside: Range<Int>
  /// Tells it from all others of this process, those that are gone included.
  private let number: UInt64
  /// The text whose elements these were compared with.
  private let predecessor: UInt64?

  private static let numbers = Atomic<UInt64>(0)

  /// An element's place, without the white space around it.
  public struct Element: Sendable {
    // A text has less than 4 GB.
    private let start: UInt32
    private let end: UInt32
    private let origin: UInt32

    /// - Parameter origin: its place in the text before, where it stood there with the same bytes.
    init(_ range: Range<Int>, origin: Int? = nil) {
      start = UInt32(truncatingIfNeeded: range.lowerBound)
      end = UInt32(truncatingIfNeeded: range.upperBound)
      self.origin = origin.map { UInt32(truncatingIfNeeded: $0) } ?? .max
    }

    /// In bytes from the start of the text.
    public var range: Range<Int> { Int(start)..<Int(end) }

    func moved(by distance: Int) -> Element { Element(range.lowerBound + distance..<range.upperBound + distance) }

    fileprivate var originInPredecessor: Int? { origin == .max ? nil : Int(origin) }
  }

  /// - Parameters:
  ///   - previous: a text like it, most of whose elements are expected here.
  ///   - limit: of how many elements it is noted where they stand.
  ///   - name: what messages call the text.
  /// - Throws: `mismatch` where there is no array at the path; `syntax` where the way to it or its commas are malformed;
  ///   `truncated` where the text is cut off; as ``Document`` does.
  /// - Complexity: O(bytes): about 2.5 GB/s a core, and on one twice as fast where nearly all is as it was in `previous`.
  public init(
    _ bytes: [UInt8],
    at path: JSONPath = [],
    after previous: ListedText? = nil,
    keeping limit: Int = .max,
    named name: String? = nil,
    limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    (self.bytes, self.path, self.name) = (bytes, path, name)
    number = Self.numbers.add(1, ordering: .relaxed).newValue
    if let previous, previous.path == path, let found = Self.compare(bytes, with: previous, limits),
      found.elements.count <= limit
    {
      (inside, elements, count, predecessor) = (found.inside, found.elements, found.elements.count, previous.number)
      return
    }
    let list =
      if let list = ListParts.list(in: bytes, at: path, keeping: limit, limits) { list } else {
        try Document(bytes, limits: limits).list(at: path, keeping: limit)
      }
    (inside, elements, count, predecessor) = (list.inside, list.elements, list.count, nil)
  }

  /// Returns whether the elements were compared with those of another text: then ``origin(of:)`` is a place there.
  public func follows(_ other: ListedText) -> Bool { predecessor == other.number }

  /// Returns an element's place in the text that this one follows; nil if its bytes are new, or stood elsewhere.
  @inline(__always)
  public func origin(of element: Int) -> Int? { elements[element].originInPredecessor }

  /// Returns the places in the text that this one follows whose elements are no element's origin here: they are gone,
  /// changed, or stand elsewhere. O(elements).
  public func placesLeft(of previous: ListedText) -> [Int] {
    var places: [Int] = []
    var next = 0
    for element in elements {
      guard let origin = element.originInPredecessor else { continue }
      places += next..<origin
      next = origin + 1
    }
    return places + (next..<max(next, previous.elements.count))
  }

  /// The text with an empty list: what else it says. O(bytes around the list).
  public var frame: [UInt8] { Array(bytes[..<inside.lowerBound]) + Array(bytes[inside.upperBound...]) }

  /// The text with other elements in its list. O(bytes).
  public func replacingElements(with elements: [[UInt8]]) -> [UInt8] {
    bytes[..<inside.lowerBound] + Array(elements.joined(separator: [UInt8(ascii: ",")])) + bytes[inside.upperBound...]
  }

  /// Calls the body with the bytes of an element, which must not leave it.
  @inline(__always)
  public func withBytes<Result, Failure>(
    of element: Int,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[elements[element].range])))
    }
  }
}

// MARK: - Comparing

extension ListedText {
  /// How many elements further on the next one is looked for.
  private static let window = 16

  /// Goes through a text and through one before it in step. What is new is delimited by its brackets and checked by itself.
  ///
  /// - Returns: Nil where the text has to be read as a whole: something else stands around the list, much is new, or
  ///   something is wrong, which is told better then.
  private static func compare(
    _ bytes: [UInt8],
    with previous: ListedText,
    _ limits: JSONLimits
  ) -> (inside: Range<Int>, elements: [Element])? {
    let (head, tail) = (previous.inside.lowerBound, previous.bytes.count - previous.inside.upperBound)
    guard bytes.count >= head + tail, bytes.count <= limits.maximumBytes else { return nil }
    let inside = head..<bytes.count - tail
    var elements: [Element] = []
    elements.reserveCapacity(previous.elements.count)
    let isRead = bytes.withUnsafeBytes { bytes in
      previous.bytes.withUnsafeBytes { old in
        guard RawBytes.equal(bytes[..<head], old[..<head]),
          RawBytes.equal(bytes[inside.upperBound...], old[previous.inside.upperBound...])
        else { return false }
        return compare(ListScanner(bytes, inside), old, previous.elements, limits, into: &elements)
      }
    }
    return isRead ? (inside, elements) : nil
  }

  private static func compare(
    _ scanner: ListScanner,
    _ old: UnsafeRawBufferPointer,
    _ oldElements: [Element],
    _ limits: JSONLimits,
    into elements: inout [Element]
  ) -> Bool {
    var scanner = scanner
    // Reading as a whole is faster a byte: it is better where much is new.
    var newBytes = scanner.bytes.count / 16 + 4096
    var expected = 0
    while !scanner.isAtEnd {
      var found: Range<Int>?
      for place in expected..<min(expected + window, oldElements.count) {
        found = scanner.take(UnsafeRawBufferPointer(rebasing: old[oldElements[place].range]))
        guard let found else { continue }
        elements.append(Element(found, origin: place))
        expected = place + 1
        break
      }
      if found == nil {
        guard let range = scanner.takeNext() else { return false }
        newBytes -= range.count
        guard newBytes >= 0, isOneValue(scanner.bytes[range], limits) else { return false }
        elements.append(Element(range))
      }
      guard scanner.separate() else { return false }
    }
    return true
  }

  private static func isOneValue(_ bytes: Slice<UnsafeRawBufferPointer>, _ limits: JSONLimits) -> Bool {
    guard let document = try? Document(UnsafeRawBufferPointer(rebasing: bytes), limits: limits) else { return false }
    return (try? document.check()) != nil
  }
}

extension RawBytes {
  fileprivate static func equal(_ first: Slice<UnsafeRawBufferPointer>, _ second: Slice<UnsafeRawBufferPointer>) -> Bool
  {
    equal(UnsafeRawBufferPointer(rebasing: first), UnsafeRawBufferPointer(rebasing: second))
  }
}
