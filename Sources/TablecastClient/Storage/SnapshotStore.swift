public import Foundation

/// A store for the last state of each table. It is shown at the next start, before the service has answered.
public protocol SnapshotStore: Sendable {
  func load(_ key: SnapshotKey) -> [UInt8]?
  func save(_ bytes: [UInt8], for key: SnapshotKey)
  /// Forgets everything: when a user logs out.
  func purge()
}

/// The key of a stored state: origin, table, caller and set of cells. Without one of these, a user could see another
/// user's rows.
public struct SnapshotKey: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(origin: String, address: TableAddress, caller: String, cells: String) {
    let screen = address.screen.map { [$0.name ?? "", $0.window?.text ?? ""] } ?? []
    description = ([origin, address.segment, address.view ?? "", caller, cells] + screen)
      .map(percentEncoded).joined(separator: " ")
  }
}

/// A store with a file for each table, in a folder of its own.
public struct DirectoryStore: SnapshotStore {
  /// The maximal size of all files, in bytes. The oldest files are dropped first.
  public static let maximumBytes = 64 << 20

  private let folder: URL

  public init(_ folder: URL) { self.folder = folder }

  public func load(_ key: SnapshotKey) -> [UInt8]? {
    guard let data = try? Data(contentsOf: file(key)) else { return nil }
    // The first line is the key's digest again: a file that was renamed or cut is not taken for another.
    let heading = Data((SHA256.hexDigest(key.description) + "\n").utf8)
    return data.starts(with: heading) ? [UInt8](data.dropFirst(heading.count)) : nil
  }

  /// Ignores failures: the client asks the service for a state that could not be stored.
  public func save(_ bytes: [UInt8], for key: SnapshotKey) {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? (Data((SHA256.hexDigest(key.description) + "\n").utf8) + Data(bytes)).write(to: file(key), options: .atomic)
    trim()
  }

  public func purge() {
    for (file, _, _) in files { try? FileManager.default.removeItem(at: file) }
  }

  private func file(_ key: SnapshotKey) -> URL {
    folder.appendingPathComponent("\(SHA256.hexDigest(key.description)).tablecast")
  }

  private var files: [(url: URL, bytes: Int, date: Date)] {
    let keys: [URLResourceKey] = [.fileSizeKey, .contentModificationDateKey]
    let urls = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys)
    return (urls ?? []).filter { $0.pathExtension == "tablecast" }.compactMap { url in
      guard let values = try? url.resourceValues(forKeys: Set(keys)) else { return nil }
      return (url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast)
    }
  }

  private func trim() {
    let files = files.sorted { $0.date > $1.date }
    var total = 0
    for file in files {
      total += file.bytes
      if total > Self.maximumBytes { try? FileManager.default.removeItem(at: file.url) }
    }
  }
}
