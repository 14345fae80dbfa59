import Definitions
import Glibc

/// The process as the kernel sees it, read when it is asked for: what Prometheus' own clients call `process_…`. What can't
/// be read is left out.
struct ProcessFigures {
  private(set) var processorSeconds: Double?
  private(set) var residentBytes: Int?
  private(set) var virtualBytes: Int?
  private(set) var openDescriptors: Int?
  private(set) var maximumDescriptors: Int?
  /// Since 1970.
  private(set) var startSeconds: Double?

  init() {
    var time = timespec()
    if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
      processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      maximumDescriptors = Int(clamping: limit.rlim_cur)
    }
    openDescriptors = Self.entries(of: "/proc/self/fd")
    // Behind the name, which may have spaces, field 3 and what follows (proc(5)).
    let words = Self.text(of: "/proc/self/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 21 else { return }
    virtualBytes = Int(words[20])
    residentBytes = Int(words[21]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    if let ticks = Double(words[19]), let boot = Self.bootSeconds {
      startSeconds = boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }
  }

  private static let bootSeconds: Double? = {
    let line = text(of: "/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Double($0.dropFirst(6)) }
  }()

  /// Returns the first 64 KB of a file of the kernel's.
  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  private static func entries(of folder: String) -> Int? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Without `.`, `..` and the descriptor that it is read by.
    return max(0, count - 3)
  }
}

extension PrometheusText {
  mutating func write(_ process: ProcessFigures) {
    family("build_info", .gauge, "Always 1, with the release.", [Sample([("version", Release.version)], 1)])
    if let value = process.processorSeconds {
      common("process_cpu_seconds_total", .counter, "Processor time that was used, in seconds.", value)
    }
    if let value = process.residentBytes {
      common("process_resident_memory_bytes", .gauge, "Memory that is resident.", value)
    }
    if let value = process.virtualBytes {
      common("process_virtual_memory_bytes", .gauge, "Memory that is mapped.", value)
    }
    if let value = process.openDescriptors { common("process_open_fds", .gauge, "Descriptors that are open.", value) }
    if let value = process.maximumDescriptors {
      common("process_max_fds", .gauge, "Descriptors that may be open.", value)
    }
    if let value = process.startSeconds {
      common("process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.", value)
    }
  }
}
