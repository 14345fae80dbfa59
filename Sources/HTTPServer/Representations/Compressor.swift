internal import CZlib

/// gzip (RFC 1952) and deflate (RFC 9110 section 8.4.1.2: the zlib format) by zlib.
enum Compressor {
  /// The compressed bytes; nil where zlib has no memory, or they would not be fewer.
  static func compress(_ bytes: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
    let windowBits: Int32
    switch coding {
    case .identity: return nil
    case .gzip: windowBits = 15 + 16
    case .deflate: windowBits = 15
    }
    guard bytes.count <= Int(UInt32.max) else { return nil }
    var stream = z_stream()
    guard czlib_deflate_init(&stream, 6, windowBits, 8) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      bytes.withUnsafeBufferPointer { source in
        // zlib doesn't write to its input; its declaration is older than const.
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(buffer.count)
        let isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = isWhole ? buffer.count - Int(stream.avail_out) : 0
      }
    }
    return compressed.isEmpty ? nil : Array(compressed)
  }
}
