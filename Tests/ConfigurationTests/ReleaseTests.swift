import Definitions
import Foundation
import Testing

/// The number of the release stands in the service once, and in files that aren't compiled.
@Suite struct ReleaseTests {
  struct Place: CustomTestStringConvertible, Sendable {
    let file: String
    /// What stands before the number and behind it.
    let before: String
    let after: String
    var testDescription: String { file }
  }

  static let places = [
    Place(file: "CHANGELOG.md", before: "\n## ", after: "\n"),
    Place(file: "UPGRADING.md", before: "\n## To ", after: "\n"),
    Place(
      file: "Sources/TableService/Resources/openapi.json",
      before: "\"title\": \"Tablecast\",\n  \"version\": \"",
      after: "\""
    ),
    Place(file: "Clients/JavaScript/package.json", before: "\"version\": \"", after: "\""),
    Place(file: "docs/clients.md", before: ".package(url: \"https://…/tablecast\", from: \"", after: "\""),
  ]

  @Test(arguments: places) func `a file names this release`(_ place: Place) throws {
    let text = try String(contentsOf: repository.appending(path: place.file), encoding: .utf8)
    let start = try #require(text.range(of: place.before), "\(place.file) names no release")
    let number = text[start.upperBound...].prefix { !place.after.contains($0) }
    #expect(number == Release.version)
  }

  @Test func `the number is one that package managers can compare`() throws {
    #expect(Release.version.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    #expect(Release.layout != Release.version)
  }
}
