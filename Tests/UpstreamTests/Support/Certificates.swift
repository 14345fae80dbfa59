import Foundation

/// A certificate authority of the test's own, and certificates good and bad, made by openssl; gone with the value.
final class Certificates: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tablecast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sh", "-c", Self.script]
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func certificate(_ name: String) -> String { folder.appendingPathComponent(name + ".pem").path }
  func key(_ name: String) -> String { folder.appendingPathComponent(name + ".key").path }

  private static let script = """
    set -e
    new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    authority() {
      openssl req -x509 $new -days 2 -subj "/CN=$1" -addext "subjectAltName=IP:127.0.0.1" -keyout $1.key -out $1.pem
    }
    leaf() { # name, authority, subject alternative name, days
      openssl req $new -subj "/CN=$1" -keyout $1.key -out $1.csr
      printf 'subjectAltName=%s' "$3" > $1.ext
      openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -days $4 -extfile $1.ext -out $1.pem
    }
    authority ours
    authority other
    leaf server ours IP:127.0.0.1,DNS:localhost 2
    leaf elsewhere ours DNS:elsewhere.example 2
    leaf expired ours IP:127.0.0.1 -1
    leaf client ours DNS:client 2
    leaf stranger other DNS:stranger 2
    """
}
