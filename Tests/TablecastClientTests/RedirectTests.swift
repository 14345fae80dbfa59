import Foundation
import Testing

@testable import TablecastClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Another origin is not told the caller's credentials, nor any field that may hold some.
@Suite struct RedirectTests {
  @Test(arguments: [
    ("http://a/x", "http://a/y", true), ("http://a/x", "http://A:80/y", true), ("https://a:443/x", "https://a/y", true),
    ("http://a/x", "https://a/y", true), ("https://a/x", "http://a/y", false), ("http://a/x", "http://b/y", false),
    ("http://a/x", "http://a:8080/y", false), ("http://a:8080/x", "https://a/y", false),
    ("https://a/x", "https://a.b/y", false),
  ]) func onlyTheSameOriginIsToldSecrets(_ from: String, _ to: String, _ isTold: Bool) throws {
    var request = URLRequest(url: try #require(URL(string: to)))
    let harmless = ["Accept": "text/event-stream", "Accept-Cells": "A", "Last-Event-ID": "00000000000a.1"]
    let secrets = ["Authorization": "Bearer x", "X-User": "ann"]
    for (name, value) in harmless.merging(secrets, uniquingKeysWith: { $1 }) {
      request.setValue(value, forHTTPHeaderField: name)
    }
    let sent = request.redirected(from: URL(string: from))
    #expect(sent.url == request.url)
    for (name, value) in harmless { #expect(sent.value(forHTTPHeaderField: name) == value) }
    for (name, value) in secrets { #expect(sent.value(forHTTPHeaderField: name) == (isTold ? value : nil)) }
  }

  @Test func anUnknownOriginIsToldNone() throws {
    var request = URLRequest(url: try #require(URL(string: "http://a/")))
    request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
    #expect(request.redirected(from: nil).value(forHTTPHeaderField: "Authorization") == nil)
  }
}
