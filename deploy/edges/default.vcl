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
