import CZlib
import CZstd
package import JSON

/// What the service answered.
package struct Reply: Equatable, Sendable {
  package var status: Int
  /// Names in lower case; the values of several lines joined.
  package var headers: [String: String]
  /// As it came, with its content coding.
  package var body: [UInt8]

  package subscript(name: String) -> String { headers[name.lowercased()] ?? "" }

  /// Without its content coding.
  package var content: [UInt8] {
    get throws {
      switch self["Content-Encoding"] {
      case "gzip", "deflate": try inflated(body)
      case "zstd": try unpacked(body)
      default: body
      }
    }
  }

  package var text: String { String(decoding: body, as: UTF8.self) }

  package var json: JSONValue { get throws { try JSONValue(parsing: content) } }
}

/// The content of a gzip or zlib stream (RFC 1952, RFC 1950).
private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
  var stream = z_stream()
  // 32 above the window's bits: gzip and zlib headers are told apart by zlib.
  guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
    throw Malformed("zlib does not start")
  }
  defer { inflateEnd(&stream) }
  var input = bytes
  var output = [UInt8](repeating: 0, count: 1 << 22)
  let result = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
      return inflate(&stream, Z_FINISH)
    }
  }
  guard result == Z_STREAM_END, stream.avail_in == 0 else { throw Malformed("the compressed body") }
  return Array(output.prefix(Int(stream.total_out)))
}

/// The content of a zstd frame (RFC 8878).
private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
  var output = [UInt8](repeating: 0, count: 1 << 22)
  let size = ZSTD_decompress(&output, output.count, bytes, bytes.count)
  guard ZSTD_isError(size) == 0 else { throw Malformed("the zstd body") }
  return Array(output.prefix(size))
}
