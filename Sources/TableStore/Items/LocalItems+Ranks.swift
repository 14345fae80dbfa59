extension LocalItems {
  /// A rank between the neighbours of a position; spreads the ranks around it where they touch.
  mutating func makeRoom(at position: Int) -> Int64 {
    var reach = 1
    while true {
      if let rank = rank(at: position) { return rank }
      spread(Swift.max(position - reach, 0)..<Swift.min(position + reach, entries.count))
      reach *= 2
    }
  }

  /// A rank that is free at a position; nil where the neighbours leave none.
  private func rank(at position: Int) -> Int64? {
    let (low, high) = bounds(of: position..<position)
    switch (low, high) {
    case (nil, nil): return 0
    case (let low?, nil):
      let (rank, overflow) = low.addingReportingOverflow(Self.spacing)
      return overflow ? nil : rank
    case (nil, let high?):
      let (rank, overflow) = high.subtractingReportingOverflow(Self.spacing)
      return overflow ? nil : rank
    case (let low?, let high?):
      // Both lie far from the ends of Int64 unless 2³¹ items went in at one end; then the difference may not fit.
      let (gap, overflow) = high.subtractingReportingOverflow(low)
      if overflow { return 0 > low && 0 < high ? 0 : nil }
      return gap >= 2 ? low + gap / 2 : nil
    }
  }

  /// The ranks next to a range of positions; nil where the range reaches an end.
  private func bounds(of range: Range<Int>) -> (low: Int64?, high: Int64?) {
    (
      range.lowerBound > 0 ? entries[range.lowerBound - 1].rank : nil,
      range.upperBound < entries.count ? entries[range.upperBound].rank : nil
    )
  }

  /// Spaces the ranks of a range evenly between its neighbours, if that leaves each of them some room.
  private mutating func spread(_ range: Range<Int>) {
    let (low, high) = bounds(of: range)
    let count = Int64(range.count)
    let step: Int64
    let start: Int64
    switch (low, high) {
    case (nil, nil):
      step = Self.spacing
      start = -(count / 2) * step
    case (let low?, nil):
      step = Self.spacing
      guard low < .max - (count + 2) * step else { return }
      start = low + step
    case (nil, let high?):
      step = Self.spacing
      guard high > .min + (count + 2) * step else { return }
      start = high - count * step
    case (let low?, let high?):
      let (gap, overflow) = high.subtractingReportingOverflow(low)
      step = (overflow ? .max : gap) / (count + 1)
      // Else a few more edits here would spread them again: a wider range has more room.
      guard step >= 1 << 16 else { return }
      start = low + step
    }
    for (offset, index) in range.enumerated() {
      let rank = start + Int64(offset) * step
      let item = entries[index].item
      entries.replace(at: index, with: StoredItem(item: item, rank: rank))
      rankByID[item.id] = rank
      touched.insert(item.id)
    }
  }
}

extension LocalItems {
  /// The same items where nothing of them is stored yet: all of them are to be written. Their next identity is beyond those of
  /// the items that they come from: so are told apart, after a restart, those that were given on and those that are kept.
  ///
  /// - Parameter old: what is stored there, which goes. O(items).
  public func unwritten(over old: LocalItems?) -> LocalItems {
    var items = self
    items.skipIdentities(to: Swift.min(Swift.max(nextID, old?.nextID ?? 1), Self.identityLimit) + 1)
    items.touched = []
    entries.forEach { items.touched.insert($0.item.id) }
    old?.entries.forEach { items.touched.insert($0.item.id) }
    return items
  }

  /// Returns the changes by edits since the last call, for the store: net, so an item added and deleted is not in it.
  public mutating func takeChanges() -> ItemChanges {
    var changes = ItemChanges(nextID: nextID)
    for id in touched {
      guard let index = index(of: id) else {
        changes.deleted.append(id)
        continue
      }
      changes.stored.append(entries[index])
    }
    touched.removeAll()
    return changes
  }
}
