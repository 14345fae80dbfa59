internal import JSON

/// An amount with its currency beside it: `{"amount": "12.50", "currency": "EUR"}`, or both among the item's own members.
struct Money {
  let amount: Field
  let currency: Field

  private static let amounts: Set = [
    "amount", "value", "price", "total", "cost", "balance", "totalprice", "totalamount",
  ]
  private static let currencies: Set = ["currency", "currencycode", "currencyid"]

  /// In the order of the members; not deeper than in one object of the item's.
  static func candidates(_ fields: [Field], of items: [JSONValue]) -> [Money] {
    fields.compactMap { amount in
      let parents = amount.path.names.dropLast()
      guard amounts.contains(amount.path.plainLast), amount.present * 2 >= amount.items, amount.path.lists.isEmpty,
        amount.isNumber || amount.isAlways(.number),
        parents.filter({ !Wrapper.names.contains($0) }).count <= 1,
        let currency = fields.first(where: { other in
          other.path.names.dropLast() == parents && currencies.contains(other.path.plainLast) && other.isText
            && other.distinct.allSatisfy(isCode) && isBeside(amount, other, in: items)
        })
      else { return nil }
      return Money(amount: amount, currency: currency)
    }
  }

  /// Each item that has the amount has the currency: without it the amount can't be written, and the item has no row.
  private static func isBeside(_ amount: Field, _ currency: Field, in items: [JSONValue]) -> Bool {
    items.allSatisfy { item in
      guard let value = item[amount.path], !value.isNull, value.text != "" else { return true }
      return item[currency.path]?.text != nil
    }
  }

  private static func isCode(_ text: String) -> Bool {
    text.utf8.count == 3 && text.allSatisfy { $0.isASCII && $0.isLetter }
  }

  /// Some have decimals, so that none are counted in cents.
  var isExact: Bool { amount.distinct.contains { $0.contains(".") } }

  /// The field's name: that of the object that has both members, where there is one.
  var name: String {
    let parent = amount.path.names.dropLast().last { !Wrapper.names.contains($0) }
    return parent ?? amount.path.last
  }

  var value: String {
    let path = amount.valueWithoutEmpty
    guard isExact else { return amount.isText ? "${\(path) | float}" : "${\(path)}" }
    let isUpper = currency.distinct.allSatisfy { $0 == $0.uppercased() }
    let code = currency.path.expression
    return "${\(path) | currency(\(isUpper ? code : "\(code) | upper"))}"
  }
}
