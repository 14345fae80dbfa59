import SwiftUI
import TablecastClient
import TablecastUI
import UIKit

/// The departures in a `UITableView`.
struct Departures: UIViewControllerRepresentable {
  let table: LiveTable<Cell>

  func makeUIViewController(context: Context) -> DeparturesController { DeparturesController(table) }
  func updateUIViewController(_ controller: DeparturesController, context: Context) {}
}

final class DeparturesController: UITableViewController {
  private let table: LiveTable<Cell>
  private var driver: TableDriver<Cell>?

  init(_ table: LiveTable<Cell>) {
    self.table = table
    super.init(style: .insetGrouped)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    for name in ["TableViewCellWithLabel", "TableViewCellWithImageAndLabel", "TableViewExpandableCell"] {
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: name)
    }
    driver = TableDriver(table, tableView) { cell, row in
      var content = cell.defaultContentConfiguration()
      switch row.content.cell {
      case .tableViewCellWithLabel(let label): content.text = label.title
      case .tableViewCellWithImageAndLabel(let flight): content.text = flight.title
      case .tableViewExpandableCell(let flight):
        content.text = flight.title
        content.secondaryText = flight.isExpanded ? flight.description : nil
      case .sectionTitle, .unknown, nil: content.text = "…"
      }
      cell.contentConfiguration = content
    }
  }

  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    // The view has a window now: what came before was loaded without animation.
    driver?.proceed()
  }
}
