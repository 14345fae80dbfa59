/// A table of 10 sections as the service sends it, and changesets that update 1 % of its rows.
struct SyntheticTable {
  let rows: Int
  private let sections = 10

  private func row(_ id: Int, _ version: Int) -> String {
    """
    {"id":"\(id)","cellIdentifier":"TableViewCellWithImageAndLabel","payload":{"title":"Row \(id), version \(version)",\
    "imageName":"https://images.example/\(id).png"},"can":{"edit":true,"move":true,"select":true}}
    """
  }

  func snapshot() -> String {
    let each = rows / sections
    let list = (0..<sections).map { section in
      let rows = (0..<each).map { row(section * each + $0, 0) }.joined(separator: ",")
      return "{\"id\":\"s\(section)\",\"header\":null,\"footer\":null,\"rows\":[\(rows)]}"
    }
    return """
      {"table":"t","cursor":"00000000000a.1","state":"ready","title":"T","sections":[\(list.joined(separator: ","))],\
      "counts":{"sections":\(sections),"rows":\(rows),"omittedSections":0,"skippedItems":0}}
      """
  }

  func start() -> String {
    "{\"table\":\"t\",\"from\":null,\"to\":\"00000000000a.1\",\"reset\":\"start\",\"snapshot\":\(snapshot())}"
  }

  /// One row in a hundred says something else, or one in so many.
  func changeset(from version: Int, oneIn share: Int = 100) -> String {
    let each = rows / sections
    let updates = stride(from: version % share, to: rows, by: share).map { index in
      "{\"at\":[\(index / each),\(index % each)],\"row\":\(row(index, version)),\"reload\":false}"
    }
    return """
      {"table":"t","from":"00000000000a.\(version)","to":"00000000000a.\(version + 1)",\
      "stages":[{"rows":{"update":[\(updates.joined(separator: ","))]}}]}
      """
  }
}
