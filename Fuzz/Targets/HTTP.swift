import Glibc

/// One program for all targets of the server, as building takes longer than a short run: FUZZ_TARGET says which.
private let target: @Sendable ([UInt8]) -> Void = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  switch name {
  case "Requests": return fuzzRequests
  case "Chunks": return fuzzChunks
  case "Grammar": return fuzzGrammar
  case "Forwarded": return fuzzForwarded
  default:
    print("FUZZ_TARGET is Requests, Chunks, Grammar or Forwarded, not '\(name)'")
    // libFuzzer takes `exit` for a finding.
    fflush(nil)
    _exit(2)
  }
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}
