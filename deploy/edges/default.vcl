vcl 4.1;

# An edge: one request to the origin for all clients that wait at one cursor (`changes?after=…&slot=…`). Varnish lets
# those who ask for the same wait for one reply, and gives it to all of them at once.
backend origin {
  .host = "127.0.0.1";
  .port = "8080";
  # A slot is 20 s, a poll with a time of its own 55 s at most.
  .first_byte_timeout = 75s;
  .between_bytes_timeout = 75s;
}

sub vcl_recv {
  # Whom the request is from: an origin that trusts this edge takes its word, and nobody else's.
  unset req.http.Forwarded;
  set req.http.X-Forwarded-For = client.ip;
  # A reply is given only to those whose fields that `Vary` names are the same. Where the configuration has a list of
  # `cors.origins` or has `locales` (here en-US, de-DE and fr-FR), say in few ways what clients say in many, so that few
  # replies do for all: another origin is as good as none, and of the languages the first counts that is one of them.
  # if (req.method == "GET" && req.http.Origin !~ "^https://app\.example\.com$") { unset req.http.Origin; }
  # if (req.http.Accept-Language ~ "(?i)^(?:(?!(?:en|de|fr)\b|\*)[^,]*,\s*)*de\b") { set req.http.Accept-Language = "de-DE"; }
  # elseif (req.http.Accept-Language ~ "(?i)^(?:(?!(?:en|de|fr)\b|\*)[^,]*,\s*)*fr\b") { set req.http.Accept-Language = "fr-FR"; }
  # else { unset req.http.Accept-Language; }
  if (req.method == "GET" && req.url ~ "^/v1/tables/[^/?]+/changes\?" && req.url ~ "[?&]slot=[0-9]+"
      && req.url !~ "[?&](wait|view)=" && !req.http.Authorization) {
    return (hash);
  }
  # Streams have no end.
  if (req.url ~ "/stream(\?|$)") { return (pipe); }
  return (pass);
}

sub vcl_backend_response {
  # What the origin says holds, to the second: no grace, nothing kept for later.
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  if (beresp.http.Cache-Control ~ "no-store") {
    # Who waits for it gets it; the next one asks anew. Without hit-for-miss the others would ask one after the other.
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    return (deliver);
  }
}
