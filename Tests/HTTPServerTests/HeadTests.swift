import Testing

@testable import HTTPServer

/// What is kept with heads that come again.
@Suite struct HeadTests {
  /// Also by a loop that rests, to which no other head comes.
  @Test func whatWasMadeOfHeadsIsForgotten() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    for _ in 1...2 {
      client.send("GET /remembered HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(client.receive().code == "204" && service.remembersHead)
      service.forgetHeads()
      #expect(TestService.eventually { !service.remembersHead })
    }
  }
}
