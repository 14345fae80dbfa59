import FieldValues
import Foundation
import JSON

extension Filter {
  /// Returns the error in arguments that are written out, with which no item would ever get a value. Nil if there is
  /// none.
  func fault(of arguments: [Node]) -> String? {
    func text(_ position: Int) -> String? {
      guard position < arguments.count, case .literal(.string(let text)) = arguments[position] else { return nil }
      return text
    }
    switch name {
    case "currency":
      return text(0).flatMap { code in
        NumberText.isCurrency(code) ? nil : "currency takes a code of three capitals such as 'EUR', not '\(code)'"
      }
    case "date":
      return text(1).flatMap { zone in
        DateText.isZone(zone) ? nil : "date takes a time zone such as 'Europe/Berlin', not '\(zone)'"
      }
    case "sort":
      return text(1).flatMap { direction in
        ["ascending", "descending"].contains(direction)
          ? nil : "sort takes 'ascending' or 'descending', not '\(direction)'"
      }
    default: return nil
    }
  }
}

extension NumberText {
  /// Returns whether the text has the form of ISO 4217's codes.
  static func isCurrency(_ code: String) -> Bool {
    code.utf8.count == 3 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
