/// Elements in the order of their last use: a doubly linked list in an array. All operations are O(1).
struct RecencyQueue<Element> {
  /// Names an element's node as long as the element is in the queue.
  struct Ticket: Hashable {
    fileprivate let node: Int32
  }

  private struct Node {
    var element: Element?
    var previous: Int32
    var next: Int32
  }

  private var nodes: [Node] = []
  private var oldest = RecencyQueue.none
  private var newest = RecencyQueue.none
  /// A list of nodes to use again, through `next`.
  private var free = RecencyQueue.none

  private static var none: Int32 { -1 }

  /// The least recently used.
  var first: Element? { oldest == Self.none ? nil : nodes[Int(oldest)].element }

  /// The element of a ticket; nil where it is not in the queue. Setting it does not count as use.
  subscript(ticket: Ticket) -> Element? {
    get { nodes[Int(ticket.node)].element }
    _modify { yield &nodes[Int(ticket.node)].element }
  }

  mutating func append(_ element: Element) -> Ticket {
    let node: Int32
    if free == Self.none {
      node = Int32(nodes.count)
      nodes.append(Node(element: element, previous: Self.none, next: Self.none))
    } else {
      node = free
      free = nodes[Int(node)].next
      nodes[Int(node)].element = element
    }
    link(node)
    return Ticket(node: node)
  }

  /// Makes an element the most recently used.
  mutating func refresh(_ ticket: Ticket) {
    guard ticket.node != newest else { return }
    unlink(ticket.node)
    link(ticket.node)
  }

  mutating func remove(_ ticket: Ticket) {
    unlink(ticket.node)
    nodes[Int(ticket.node)] = Node(element: nil, previous: Self.none, next: free)
    free = ticket.node
  }

  private mutating func link(_ node: Int32) {
    nodes[Int(node)].previous = newest
    nodes[Int(node)].next = Self.none
    if newest == Self.none { oldest = node } else { nodes[Int(newest)].next = node }
    newest = node
  }

  private mutating func unlink(_ node: Int32) {
    let (previous, next) = (nodes[Int(node)].previous, nodes[Int(node)].next)
    if previous == Self.none { oldest = next } else { nodes[Int(previous)].next = next }
    if next == Self.none { newest = previous } else { nodes[Int(next)].previous = previous }
  }
}
