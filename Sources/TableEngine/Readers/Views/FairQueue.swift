/// Elements of many holders, each holder's in the order of their last use, and which of them is to go where there are too
/// many: the oldest one of whoever holds most, so that nobody pushes out what others hold by making more. Of holders that
/// hold as many it is the one who has used none of them for longest. All operations are O(1).
struct FairQueue<Holder: Hashable, Element> {
  /// Names an element as long as it is in the queue.
  struct Ticket {
    fileprivate let share: Int32
    fileprivate let node: RecencyQueue<Element>.Ticket
  }

  /// The share of one holder; nobody's where the count is 0.
  private struct Share {
    var holder: Holder?
    var count = 0
    var elements = RecencyQueue<Element>()
    /// Among those who hold as many.
    var place: RecencyQueue<Int32>.Ticket?
  }

  private var shares: [Share] = []
  private var free: [Int32] = []
  private var shareOf: [Holder: Int32] = [:]
  /// Holders by the number that they hold, in the order of their last use.
  private var holding: [Int: RecencyQueue<Int32>] = [:]
  private var most = 0

  /// The one that is to go.
  var first: Element? { holding[most]?.first.flatMap { shares[Int($0)].elements.first } }

  /// How many somebody holds.
  func count(of holder: Holder) -> Int { shareOf[holder].map { shares[Int($0)].count } ?? 0 }

  mutating func append(_ element: Element, of holder: Holder) -> Ticket {
    let share = shareOf[holder] ?? newShare(of: holder)
    count(shares[Int(share)].count + 1, of: share)
    return Ticket(share: share, node: shares[Int(share)].elements.append(element))
  }

  /// Makes an element the most recently used.
  mutating func refresh(_ ticket: Ticket) {
    shares[Int(ticket.share)].elements.refresh(ticket.node)
    if let place = shares[Int(ticket.share)].place { holding[shares[Int(ticket.share)].count]?.refresh(place) }
  }

  mutating func remove(_ ticket: Ticket) {
    let share = ticket.share
    shares[Int(share)].elements.remove(ticket.node)
    count(shares[Int(share)].count - 1, of: share)
    guard shares[Int(share)].count == 0, let holder = shares[Int(share)].holder else { return }
    shareOf[holder] = nil
    shares[Int(share)] = Share()
    free.append(share)
  }

  private mutating func newShare(of holder: Holder) -> Int32 {
    let share = free.popLast() ?? Int32(shares.count)
    if Int(share) == shares.count { shares.append(Share()) }
    shares[Int(share)].holder = holder
    shareOf[holder] = share
    return share
  }

  /// A share has so many now, one more or one less.
  private mutating func count(_ count: Int, of share: Int32) {
    let before = shares[Int(share)].count
    if let place = shares[Int(share)].place {
      holding[before]?.remove(place)
      if holding[before]?.first == nil { holding[before] = nil }
    }
    shares[Int(share)].count = count
    shares[Int(share)].place = count > 0 ? holding[count, default: RecencyQueue()].append(share) : nil
    // A holder that held most alone, and has given one up, still holds most.
    if count > most || holding[most] == nil { most = count }
  }
}
