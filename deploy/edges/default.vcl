vcl 4.1;

import std;

# An edge: one request to the origin for all clients that wait at one cursor (`changes?after=…&slot=…`). Varnish lets
# those who ask for the same wait for one reply, and gives it to all of them at once.
#
# That request is made of what stands in the hash alone: all other fields that the origin reads are left out of it, so that
# it makes no difference whose came first. A request that can't be put so is passed as it is, and its answer is that
# client's alone.
#
# A poll of 64 tables has some kilobytes of cursors in its target, and in the `Link` of its reply: start varnishd with
# `-p http_req_hdr_len=32k -p http_resp_hdr_len=32k`.
backend origin {
  .host = "127.0.0.1";
  .port = "8080";
  # A slot is 20 s, a poll with a time of its own 55 s at most.
  .first_byte_timeout = 75s;
  .between_bytes_timeout = 75s;
}

sub vcl_recv {
  # The origin's figures are not for the public, with their name escaped neither.
  if (req.url ~ "^/(metrics|[^/?]*%[^/?]*)(\?|$)") { return (synth(404)); }
  # Whom the request is from: an origin that trusts this edge takes its word, and nobody else's.
  unset req.http.Forwarded;
  set req.http.X-Forwarded-For = client.ip;
  # A field may stand on several lines: all of them count, for the origin as in the hash, which would have the first.
  std.collect(req.http.Accept);
  std.collect(req.http.Accept-Cells);
  std.collect(req.http.Accept-Language);
  std.collect(req.http.Origin);
  # A reply is given only to those whose fields that `Vary` names are the same. Where the configuration has a list of
  # `cors.origins` or has `locales` (here en-US, de-DE and fr-FR), say in few ways what clients say in many, so that few
  # replies do for all: another origin is as good as none, and of the languages the first counts that is one of them.
  # if (req.method == "GET" && req.http.Origin !~ "^https://app\.example\.com$") { unset req.http.Origin; }
  # if (req.http.Accept-Language ~ "(?i)^(?:(?!(?:en|de|fr)\b|\*)[^,]*,\s*)*de\b") { set req.http.Accept-Language = "de-DE"; }
  # elseif (req.http.Accept-Language ~ "(?i)^(?:(?!(?:en|de|fr)\b|\*)[^,]*,\s*)*fr\b") { set req.http.Accept-Language = "fr-FR"; }
  # else { unset req.http.Accept-Language; }

  # A poll by slots: `after`, `slot` and perhaps `rows`, each of them once, from a client that takes JSON. Those with a token
  # are nobody else's, nor is a request with content.
  if (req.method == "GET"
      && req.url ~ "^/v1/tables/[^/?#]+/changes\?(?!.*\b(after|slot|rows)=.*&\1=)(?:(?:after=(?:[\w.~-]|%7[Ee])+|slot=[0-9]{1,15}|rows=[\w-]+)(?:&(?!$)|$))+$"
      && req.url ~ "[?&]after=" && req.url ~ "[?&]slot="
      && (!req.http.Accept || req.http.Accept == ""
          || req.http.Accept ~ "(?i)(?:^|,)\s*(?:application/json|application/\*|\*/\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:[,;]|$))[^,]*)?(?:,|$)")
      && !req.http.Authorization && !req.http.Content-Length && !req.http.Transfer-Encoding) {
    set req.url = std.querysort(req.url);
    unset req.http.Accept;
    unset req.http.Content-Encoding;
    unset req.http.Content-Type;
    unset req.http.Cookie;
    unset req.http.Expect;
    unset req.http.Idempotency-Key;
    unset req.http.If-Match;
    unset req.http.Last-Event-ID;
    unset req.http.Prefer;
    unset req.http.Sec-Fetch-Site;
    unset req.http.User-Agent;
    # A request for all has no client: else the first client's quota would be all others'.
    unset req.http.X-Forwarded-For;
    unset req.http.X-Request-ID;
    return (hash);
  }
  # Streams have no end.
  if (req.url ~ "/stream(\?|$)") { return (pipe); }
  return (pass);
}

# What a reply depends on beside its address: a refusal has no `Vary`, and is to be nobody else's either.
sub vcl_hash {
  hash_data(req.http.Origin);
  hash_data(req.http.Accept-Language);
  hash_data(req.http.Accept-Cells);
}

sub vcl_backend_response {
  # What the origin says holds, to the second: no grace, nothing kept for later.
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  # It names the one request that was asked for all.
  if (!bereq.uncacheable) { unset beresp.http.X-Request-ID; }
  if (beresp.status == 429 || beresp.status == 503) {
    # A client that has asked too often: its alone. The next one asks anew, and the others wait for that.
    set beresp.ttl = 0s;
    return (deliver);
  }
  if (beresp.status != 200 || beresp.http.Cache-Control ~ "no-store") {
    # Who waits for it gets it; the next one asks anew. Without hit-for-miss the others would ask one after the other.
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    return (deliver);
  }
}
