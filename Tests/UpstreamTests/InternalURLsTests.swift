import Testing

@testable import Upstream

/// What stands inside is not told outside.
@Suite struct InternalURLsTests {
  @Test(arguments: [
    ("see http://10.0.0.1/x for more", "see … for more"), ("(http://127.0.0.1:80/a?b)", "(…)"),
    ("http://[::1]:8080/a, and", "…, and"), ("at http://[2606:4700::1111]/a", "at http://[2606:4700::1111]/a"),
    ("https://localhost/x", "…"), ("http://orders:8080/x", "…"), ("https://api.svc.cluster.local", "…"),
    ("postgres://db.internal:5432/x", "…"), ("https://me:pass@example.com/x", "…"),
    ("read https://docs.example.com/errors#e1.", "read https://docs.example.com/errors#e1."),
    ("a :// b", "a :// b"), ("://", "://"), ("", ""), ("http://", "http://"), ("\"http://10.1.1.1\"", "\"…\""),
    ("HTTP://10.1.1.1 and http://8.8.8.8/", "… and http://8.8.8.8/"),
  ])
  func areHidden(_ text: String, _ expected: String) {
    #expect(InternalURLs.hide(in: text) == expected)
  }
}
