internal import CZlib
internal import CZstd

/// gzip (RFC 1952) and deflate (RFC 9110 section 8.4.1.2: the zlib format) by zlib, zstd (RFC 8878) by libzstd.
enum Compressor {
  /// The compressed bytes; nil where there is no memory, or they would not be fewer.
  static func compress(_ bytes: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
    switch coding {
    case .identity: nil
    case .gzip: deflated(bytes, windowBits: 15 + 16)
    case .deflate: deflated(bytes, windowBits: 15)
    case .zstd: zstd(bytes)
    }
  }

  private static func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8]? {
    guard !bytes.isEmpty, bytes.count <= Int(UInt32.max) else { return nil }
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

  /// Up to so many bytes are worth some more of the processor's time.
  private static let thorough = 1 << 20

  /// Its window is never larger than the 8 MB that every client takes (RFC 8878 section 3.1.1.1.2, RFC 9659): that of these
  /// levels is 2 MB at most.
  private static func zstd(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty, let context = ZSTD_createCCtx() else { return nil }
    defer { ZSTD_freeCCtx(context) }
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      bytes.withUnsafeBytes { source in
        let level: Int32 = source.count > thorough ? 1 : 3
        // An error where it doesn't fit.
        let size = ZSTD_compressCCtx(
          context,
          buffer.baseAddress,
          buffer.count,
          source.baseAddress,
          source.count,
          level
        )
        count = ZSTD_isError(size) == 0 ? size : 0
      }
    }
    return compressed.isEmpty || compressed.count >= bytes.count ? nil : Array(compressed)
  }
}
