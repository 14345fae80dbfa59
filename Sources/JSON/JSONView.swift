/// A value of a parsed document, read in place: nothing is copied, nothing is allocated.
///
/// **A view is a pointer into its `Document`'s tape.** It is only handed to the closures of `Document`
/// (`withRoot`, `withElement`) and must not leave them; what has to live longer is copied by `JSONValue(view)`.
/// It is not `Sendable`, so that the compiler stops the worst of it.
public struct JSONView {
  @usableFromInline let tape: UnsafePointer<UInt64>
  @usableFromInline let strings: UnsafePointer<UInt8>
  @usableFromInline let index: Int

  @inlinable
  init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
    (self.tape, self.strings, self.index) = (tape, strings, index)
  }

  /// The kind of a value. `unsigned` is an integer above `Int64.max`.
  public enum Kind: Sendable {
    case null, bool, integer, unsigned, double, string, array, object
  }

  /// Complexity: O(1).
  @inlinable public var kind: Kind {
    switch tag {
    case TapeTag.object: .object
    case TapeTag.array: .array
    case TapeTag.string: .string
    case TapeTag.integer: .integer
    case TapeTag.unsigned: .unsigned
    case TapeTag.double: .double
    case TapeTag.true, TapeTag.false: .bool
    default: .null
    }
  }

  @inlinable public var isNull: Bool { tag == TapeTag.null }

  @inlinable public var bool: Bool? {
    switch tag {
    case TapeTag.true: true
    case TapeTag.false: false
    default: nil
    }
  }

  /// The value of an integer that fits.
  @inlinable public var int64: Int64? { tag == TapeTag.integer ? Int64(bitPattern: tape[index + 1]) : nil }

  /// The value of an integer that is not negative.
  @inlinable public var uint64: UInt64? {
    switch tag {
    case TapeTag.unsigned: tape[index + 1]
    case TapeTag.integer: UInt64(exactly: Int64(bitPattern: tape[index + 1]))
    default: nil
    }
  }

  /// The value of any number, the nearest there is. Always finite.
  @inlinable public var double: Double? {
    switch tag {
    case TapeTag.double: Double(bitPattern: tape[index + 1])
    case TapeTag.integer: Double(Int64(bitPattern: tape[index + 1]))
    case TapeTag.unsigned: Double(tape[index + 1])
    default: nil
    }
  }

  /// The unescaped UTF-8 of a string; empty for an empty string, nil for what is none.
  @inlinable public var string: JSONString? { tag == TapeTag.string ? stringAtIndex : nil }

  // MARK: Tape

  @inlinable var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

  @inlinable var payload: UInt64 { tape[index] & 0x00FF_FFFF_FFFF_FFFF }

  /// The position of the next value on the tape.
  @inlinable var next: Int {
    switch tag {
    case TapeTag.object, TapeTag.array: Int(truncatingIfNeeded: payload & 0xFFFF_FFFF)
    case TapeTag.integer, TapeTag.unsigned, TapeTag.double: index + 2
    default: index + 1
    }
  }

  @inlinable
  func at(_ index: Int) -> JSONView { JSONView(tape: tape, strings: strings, index: index) }

  /// Before each string stands its length, 32 bits in the machine's order.
  @inlinable var stringAtIndex: JSONString {
    let start = strings + Int(truncatingIfNeeded: payload & ~TapeTag.plain)
    let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return JSONString(start: start + 4, count: Int(count), isPlain: payload & TapeTag.plain != 0)
  }
}

/// The first byte of a word on the tape. Computed, so that other modules have them as constants.
@usableFromInline
enum TapeTag {
  @inlinable static var object: UInt8 { UInt8(ascii: "{") }
  @inlinable static var endOfObject: UInt8 { UInt8(ascii: "}") }
  @inlinable static var array: UInt8 { UInt8(ascii: "[") }
  @inlinable static var endOfArray: UInt8 { UInt8(ascii: "]") }
  @inlinable static var string: UInt8 { UInt8(ascii: "\"") }
  @inlinable static var integer: UInt8 { UInt8(ascii: "l") }
  @inlinable static var unsigned: UInt8 { UInt8(ascii: "u") }
  @inlinable static var double: UInt8 { UInt8(ascii: "d") }
  @inlinable static var `true`: UInt8 { UInt8(ascii: "t") }
  @inlinable static var `false`: UInt8 { UInt8(ascii: "f") }
  @inlinable static var null: UInt8 { UInt8(ascii: "n") }
  /// In a string's word, above its place: nothing in it has to be escaped. On simdjson's tapes it is not set.
  @inlinable static var plain: UInt64 { 1 << 55 }
}
