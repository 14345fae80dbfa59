public import Foundation

/// A store for edits until the service has answered them, so that they survive the end of the program.
///
/// The client calls all functions on one queue, before it sends the request in question.
public protocol EditStore: Sendable {
  /// Everything that is kept.
  func load() -> [[UInt8]]
  /// Keeps the open edits of one table; nil: there are none any more.
  ///
  /// - Throws: where they would not outlive the program. The client tells of it (`ClientEvent.Kind.notKept`), and sends
  ///   the edits all the same.
  func save(_ bytes: [UInt8]?, for key: SnapshotKey) throws
  /// Forgets everything: when a user logs out.
  func purge()
  /// Forgets bytes that `load` has returned, wherever they are kept, but not what is kept under `key`: their edits are
  /// there now. An earlier version of the client had other keys. Does nothing by default.
  func forget(_ bytes: [UInt8], keptAs key: SnapshotKey)
}

extension EditStore {
  public func forget(_ bytes: [UInt8], keptAs key: SnapshotKey) {}
}

/// A store with a file for each table with open edits, in a folder of its own. It never drops edits to save space.
///
/// Only one client at a time may use a folder: a second one would take up the same edits, and replace the first one's
/// files by its own. So an app and its extensions use a folder each. There is no lock on the folder, since iOS ends an
/// app that is suspended with a lock on a file that it shares with extensions.
public struct DirectoryEditStore: EditStore {
  private static let suffix = "edits"

  private let folder: URL

  public init(_ folder: URL) { self.folder = folder }

  public func load() -> [[UInt8]] {
    files.sorted { $0.lastPathComponent < $1.lastPathComponent }.compactMap { file in
      (try? Data(contentsOf: file)).map { [UInt8]($0) }
    }
  }

  public func save(_ bytes: [UInt8]?, for key: SnapshotKey) throws {
    let file = file(key)
    guard let bytes else {
      if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
      return
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: file, options: .atomic)
  }

  public func purge() {
    for file in files { try? FileManager.default.removeItem(at: file) }
  }

  public func forget(_ bytes: [UInt8], keptAs key: SnapshotKey) {
    let name = file(key).lastPathComponent
    let files = files
    // Edits that could not be written under their key stay where they are.
    guard files.contains(where: { $0.lastPathComponent == name }) else { return }
    for file in files where file.lastPathComponent != name {
      guard let data = try? Data(contentsOf: file), data.elementsEqual(bytes) else { continue }
      try? FileManager.default.removeItem(at: file)
    }
  }

  private func file(_ key: SnapshotKey) -> URL {
    folder.appendingPathComponent("\(SHA256.hexDigest(key.description)).\(Self.suffix)")
  }

  private var files: [URL] {
    let urls = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (urls ?? []).filter { $0.pathExtension == Self.suffix }
  }
}
