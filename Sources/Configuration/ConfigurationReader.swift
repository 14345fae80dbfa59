public import Definitions
import Foundation

/// YAML text → ``ServiceDefinition``, with every mistake reported at once.
public struct ConfigurationReader: Sendable {
  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - text: YAML. More than 4 MiB is refused.
  ///   - file: what diagnostics call it.
  ///   - environment: what `${env.NAME}` means. Where a variable is missing and `NAME_FILE` is there, the file that it
  ///     names is read. Values are in no diagnostic.
  /// - Returns: the definition, or nil where there is an error among the diagnostics; and the diagnostics, errors and
  ///   warnings, in the order of the file.
  public static func read(
    text: String,
    file: String,
    environment: [String: String]
  ) -> (definition: ServiceDefinition?, diagnostics: [Diagnostic]) {
    read(text: text, file: file, environment: Environment(environment))
  }

  /// More is none, and would never end where it is a device.
  private static let maximumBytes = 64 << 20

  /// Reads a configuration from a file. Where it can't be read, that is the one diagnostic.
  ///
  /// - Parameter toleratesUnset: variables of the environment that are not set are warned of, and no mistakes: what is read is
  ///   to be looked at, and not to be served.
  public static func read(
    path: String,
    environment: [String: String],
    toleratesUnset: Bool = false
  ) -> (definition: ServiceDefinition?, diagnostics: [Diagnostic]) {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return refusal(of: path, "this is a folder", "name a file in it")
    }
    do {
      // Not `Data(contentsOf:)`, which reads no pipe.
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let data = try file.read(upToCount: maximumBytes + 1) ?? Data()
      guard data.count <= maximumBytes else {
        return refusal(of: path, "it is larger than \(maximumBytes >> 20) MB", "name a configuration")
      }
      guard let text = String(data: data, encoding: .utf8) else {
        return refusal(of: path, "the file is not UTF-8 text", "save it in UTF-8")
      }
      return read(
        text: text,
        file: path,
        environment: Environment(environment),
        toleratesUnset: toleratesUnset
      )
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return refusal(of: path, "there is no such file", "name one by `--config FILE`")
    } catch CocoaError.fileReadNoPermission {
      return refusal(of: path, "the file may not be read", "give it to the user that runs Tablecast")
    } catch {
      return refusal(of: path, "the file can't be read", (error as NSError).localizedDescription)
    }
  }

  private static func refusal(
    of path: String,
    _ message: String,
    _ suggestion: String
  ) -> (definition: ServiceDefinition?, diagnostics: [Diagnostic]) {
    (nil, [Diagnostic(file: path, line: 1, column: 1, message: message, suggestion: suggestion)])
  }

  static func read(
    text: String,
    file: String,
    environment: Environment,
    toleratesUnset: Bool = false
  ) -> (definition: ServiceDefinition?, diagnostics: [Diagnostic]) {
    let reading = Reading(file: file, environment: environment, toleratesUnset: toleratesUnset)
    var yaml = YAMLReader(text: text)
    let root = yaml.read()
    for problem in yaml.problems { reading.error(at: problem.place, problem.message, problem.suggestion) }
    var definition: ServiceDefinition?
    if let root, !root.isNull {
      definition = ValueReader<ServiceDefinition>.object(ServiceKeys.self).read(root, reading)
    } else if yaml.problems.isEmpty {
      reading.error(at: .start, "the configuration is empty", smallest)
    }
    if definition != nil {
      definition?.environment = reading.environmentValues
      if let root { definition?.contents = CanonicalContent.digests(of: root, environment: reading.environmentValues) }
      let checks = CrossChecks(reading: reading, definition: definition ?? ServiceDefinition())
      definition = checks.completed()
    }
    reading.warnOfUnset()
    let diagnostics = Set(reading.diagnostics).sorted()
    return (diagnostics.contains { $0.severity == .error } ? nil : definition, diagnostics)
  }

  private static let smallest = """
    the smallest one is:

      sources:
        team: {url: https://api.example.com/team}
      tables:
        names: {source: team, row: {id: "${id}"}}
    """
}
