final class EventLoop: Sendable {
  func finish(slot: Int32, serial: UInt32, _ response: Response) {}
  func send(slot: Int32, serial: UInt32, _ bytes: [UInt8]) {}
  func end(slot: Int32, serial: UInt32) {}
}
