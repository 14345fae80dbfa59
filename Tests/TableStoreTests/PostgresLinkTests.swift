import Dispatch
import Foundation
import TestSupport
import Testing

@testable import TableStore

/// A database of several hosts.
@Suite struct PostgresLinkTests {
  @Test func eachAttemptBeginsWithAnotherHost() throws {
    let address = try PostgresAddress("host=a,b,c port=1,2,3 user=tests password='x,y,z'")
    for (attempt, (hosts, ports)) in [("a,b,c", "1,2,3"), ("b,c,a", "2,3,1"), ("c,a,b", "3,1,2"), ("a,b,c", "1,2,3")]
      .enumerated()
    {
      let text = address.text(attempt: attempt)
      #expect(text.contains("host='\(hosts)'") && text.contains("port='\(ports)'") && text.contains("password='x,y,z'"))
    }
    // One port is of all hosts.
    #expect(try PostgresAddress("host=a,b port=7").text(attempt: 1).contains("port='7'"))
    let local = try PostgresAddress("dbname=x")
    #expect(local.text(attempt: 5) == local.text)
  }

  /// The first host accepts and says nothing, as one may that hangs or has lost its power.
  @Test func aHostThatSaysNothingIsLeft() throws {
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(silent, $0, length) == 0 && listen(silent, 8) == 0 && getsockname(silent, $0, &length) == 0
      }
    }
    #expect(isBound)
    let there = try PostgresServer.shared.get().newDatabase().replacingOccurrences(of: "host=", with: "host=127.0.0.1,")
    let queue = DispatchQueue(label: "test")
    let link = PostgresLink(
      address: try PostgresAddress("\(there) port=\(UInt16(bigEndian: name.sin_port)),5432"),
      queue: queue,
      greeting: [PostgresStatement("SELECT 1")]
    )
    let isUp = Monitor(false)
    queue.sync {
      link.onChange = { now in isUp.change { $0 = now } }
      link.connect()
    }
    try isUp.wait(for: "the second host") { $0 ? () : nil }
    queue.sync { link.close() }
  }
}
