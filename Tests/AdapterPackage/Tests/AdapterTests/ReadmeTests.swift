// swift-format-ignore-file
// What stands between the marks is as the documents have it.
import Adapters
import Foundation
import TablecastClient
import UIKit
import XCTest

/// The code that the documents give an app, compiled. `Cell` is what README's configuration makes (`ReadmeCells.swift`).
@MainActor
final class ReadmeApp {
  private var driver: TableDriver<Cell>?

  func readme(_ server: URL, _ tableView: UITableView) {
    // README.md
    let client = TablecastClient(url: server, cells: Cell.self)      // Cell: tablecast generate swift
    let table = client.table("issues")
    driver = TableDriver(table, tableView) { cell, row in            // live, animated, edits shown at once
      if case .tableViewExpandableCell(let issue) = row.content.cell { cell.textLabel?.text = issue.title }
    }
    // end
    withExtendedLifetime(driver) {}
  }

  func clients(_ server: URL, _ tableView: UITableView) {
    // docs/clients.md
    let client = TablecastClient(url: server, cells: Cell.self)
    let table = client.table("issues")
    driver = TableDriver(table, tableView) { cell, row in
      switch row.content {
      case .known(.tableViewCellWithLabel(let label)), .fallback(.tableViewCellWithLabel(let label)):
        cell.textLabel?.text = label.title
      default:
        cell.textLabel?.text = "…"
      }
    }
    // end
    withExtendedLifetime(driver) {}
  }

  /// `select` as README's configuration has it.
  func opened(_ row: TableRow) -> String? {
    if case .open(let open) = row.selection { open.url?.text } else { nil }
  }
}

final class ReadmeTests: XCTestCase {
  func testTheDocumentsHaveTheCodeThatIsCompiled() throws {
    let compiled = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
    for document in ["README.md", "docs/clients.md"] {
      let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
      let section = try XCTUnwrap(text.components(separatedBy: "\n## In an app\n").last)
      let code = try XCTUnwrap(
        section.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
          .first { $0.contains("TableDriver") }
      )
      let mine = try XCTUnwrap(compiled.components(separatedBy: "    // \(document)\n").dropFirst().first)
      XCTAssertEqual(words(code), words(mine.components(separatedBy: "    // end\n")[0]), document)
    }
  }

  private func words(_ text: String) -> [String] { text.split { " \n".contains($0) }.map(String.init) }
}
