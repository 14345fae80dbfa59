/// What the header fields that the server itself acts upon say.
struct FieldSemantics {
  var framing = RequestHead.Framing.none
  var keepsAlive = true
  var expectsContinue = false
  var codings = AcceptedCodings()
  var requestID: Range<Int>?
}
