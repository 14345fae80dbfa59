import Foundation

/// How far the process's resident memory grows from a moment on, at its peak (Linux: `proc(5)`). Memory that was freed
/// before and is used again is not seen: to be used in a process that has done nothing else.
struct PeakMemory {
  private let before: Int

  init() {
    // 5 sets the peak back to what is resident now.
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .ascii)
    before = Self.status("VmRSS")
  }

  /// Bytes at the peak so far, beyond those before.
  var grown: Int { max(0, Self.status("VmHWM") - before) }

  private static func status(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .ascii)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
    let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    return kilobytes * 1024
  }
}
