extension ReplyKey {
  /// Its parts, each after its length, so that no two keys are one.
  var bytes: [UInt8] {
    var writer = RecordWriter()
    for part in [caller, table, scope, key] { writer.write(part) }
    return writer.bytes
  }
}
