internal import JSON

/// Memory for the texts that templates make for one item: written one behind the other, read as values, and forgotten
/// all at once. A `String` for each would be allocated, checked to be UTF-8 and written to the row as a copy.
///
/// What was made stays where it is until `removeAll`: a text that finds no room moves to a new block, and the full
/// one is kept.
public final class TextArena {
  private var block: UnsafeMutableBufferPointer<UInt8>
  private var full: [UnsafeMutableBufferPointer<UInt8>] = []
  /// The text in the making is `start..<end` of the block; texts that are done lie before it.
  private var (start, end) = (0, 0)

  public init() { block = .allocate(capacity: 4 << 10) }

  deinit {
    block.deallocate()
    for block in full { block.deallocate() }
  }

  /// Forgets all texts: values that were made from them must not be used any more. The biggest block is kept.
  public func removeAll() {
    (start, end) = (0, 0)
    guard !full.isEmpty else { return }
    for block in full { block.deallocate() }
    full.removeAll(keepingCapacity: true)
  }

  /// The bytes of the text in the making.
  var count: Int { end - start }

  func begin() { end = start }

  func finish() -> JSONString {
    defer { start = end }
    return JSONString(unmanaged: UnsafePointer(address(start)), count: count)
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    address(end).update(from: source, count: bytes.count)
    end += bytes.count
  }

  func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  func append(_ value: Int64) {
    reserve(DecimalText.longest + 1)
    if value < 0 {
      address(end).pointee = UInt8(ascii: "-")
      end += 1
    }
    end += DecimalText.write(value.magnitude, to: address(end))
  }

  /// `position` is at most the block's capacity, which is never 0.
  @inline(__always)
  private func address(_ position: Int) -> UnsafeMutablePointer<UInt8> {
    block.baseAddress.unsafelyUnwrapped + position
  }

  /// Afterwards there is room for so many bytes behind `end`.
  private func reserve(_ room: Int) {
    guard block.count - end < room else { return }
    let next = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(block.count * 2, count + room))
    next.baseAddress?.update(from: address(start), count: count)
    full.append(block)
    (block, start, end) = (next, 0, count)
  }
}
