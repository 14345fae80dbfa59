import Foundation

extension World {
  /// Ends the run: something is wrong.
  func fail(_ text: String, about subjects: Set<String> = []) -> Never {
    print("seed \(seed), step \(steps): \(text)")
    for line in history.tail(about: subjects) { print(line) }
    exit(1)
  }

  /// Of what was on its way to a disk, only the beginning is done.
  func loseSome(of disk: Host) {
    for queue in waiting(of: disk) where chance(2) {
      let kept = pick(0...queue.pieces.count)
      for piece in queue.pieces[kept...] { keep(piece) }
      queue.pieces.removeSubrange(kept...)
      if queue.pieces.isEmpty { unlist(queue) }
    }
  }
}
