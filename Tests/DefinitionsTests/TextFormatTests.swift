import Definitions
import Testing

@Suite struct TextFormatTests {
  /// Each character at each place of a URL, beside the rule as it is written: eight are looked at in one go.
  @Test(arguments: 2...27) func whatStandsInURLs(length: Int) {
    let excluded = Set(0...32 as ClosedRange<UInt8>).union(#""<>\^`{|}"#.utf8).union([127])
    let wrong = (1..<length).flatMap { place in
      (0...255 as ClosedRange<UInt8>).filter { byte in
        var text = [UInt8](repeating: UInt8(ascii: "~"), count: length)
        text[0] = UInt8(ascii: "/")
        text[place] = byte
        return text.withUnsafeBufferPointer { TextFormat.isURL($0) } == excluded.contains(byte)
      }
    }
    #expect(wrong.isEmpty)
  }
}
