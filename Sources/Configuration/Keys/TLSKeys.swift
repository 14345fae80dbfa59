import Definitions

enum TLSKeys: ObjectKeys {
  static let name = "TLS"
  static let noun = "the TLS settings"

  struct Files: Sendable {
    var caBundle: String?
    var certificate: String?
    var key: String?
  }

  static let caBundle = Key(
    "caBundle",
    .text("a file's path", example: "/etc/ssl/ca.pem"),
    "Certificates to trust: PEM."
  )
  static let certificate = Key(
    "certificate",
    .text("a file's path", example: "/etc/ssl/client.pem"),
    "The client's certificate: PEM."
  )
  static let key = Key("key", .text("a file's path", example: "/etc/ssl/client.key"), "The client's private key: PEM.")

  static let keys = [caBundle.description, certificate.description, key.description]

  static func value(of object: ObjectReader) -> Files? {
    if object.has(key), !object.has(certificate) {
      object.reading.error(at: object.place, "'key' without 'certificate'", "write both")
    }
    return Files(caBundle: object[caBundle], certificate: object[certificate], key: object[key])
  }
}
