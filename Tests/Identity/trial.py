"""trial.py EXECUTABLE FOLDER: the service beside a real OpenID provider. Says what it saw, and ends with 1 where that is
not what was expected."""
import base64, contextlib, hmac, http.client, json, os, re, socket, subprocess, sys, time, urllib.parse

from joserfc import jwk, jwt
from joserfc.jws import JWSRegistry

executable, folder = sys.argv[1:3]
failures = 0


def check(what, seen, expected):
    global failures
    good = seen == expected
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}" + ("" if good else f": {seen!r}, not {expected!r}"), flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, method, target, headers=None, body=None, timeout=30):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


class Provider:
    """oidc-provider-mock, with a key of its own at each start."""

    def __init__(self):
        self.port, self.process = free_port(), None
        self.issuer = f"http://127.0.0.1:{self.port}"

    def start(self, *options):
        self.log = open(os.path.join(folder, "provider.log"), "a")
        command = ["oidc-provider-mock", "--port", str(self.port), *options]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        for _ in range(300):
            with contextlib.suppress(OSError):
                return ask(self.port, "GET", "/.well-known/openid-configuration")
            time.sleep(0.1)
        raise SystemExit("the provider does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def sign_in(self, subject, client="tablecast"):
        """The authorization code flow: the ID token of a user."""
        query = urllib.parse.urlencode(
            {"client_id": client, "redirect_uri": "http://app.example/", "response_type": "code", "scope": "openid"}
        )
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        _, headers, _ = ask(self.port, "POST", "/oauth2/authorize?" + query, form, f"sub={subject}")
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(headers["Location"]).query)["code"][0]
        form["Authorization"] = "Basic " + base64.b64encode(f"{client}:secret".encode()).decode()
        grant = {"grant_type": "authorization_code", "redirect_uri": "http://app.example/", "code": code}
        status, _, body = ask(self.port, "POST", "/oauth2/token", form, urllib.parse.urlencode(grant))
        if status != 200:
            raise SystemExit(f"no token: {status} {body}")
        return json.loads(body)["id_token"]


class Service:
    def __init__(self, configuration):
        path = os.path.join(folder, "tablecast.yaml")
        with open(path, "w") as file:
            file.write(configuration)
        self.process = subprocess.Popen([executable, "serve", "--config", path], stderr=subprocess.PIPE, text=True, cwd=folder)
        self.lines = []
        for line in self.process.stderr:
            self.lines.append(line)
            if "Serving" in line and (found := re.search(r"127\.0\.0\.1:(\d+)", line)):
                self.port = int(found[1])
                break
        else:
            raise SystemExit("".join(self.lines))

    def get(self, target, token=None, timeout=60):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return ask(self.port, "GET", target, headers, timeout=timeout)

    def status(self, target, token=None):
        return self.get(target, token)[0]

    def stop(self):
        self.process.terminate()
        self.lines += self.process.stderr.readlines()
        self.process.wait()


def table(issuers):
    return f"""listen: 127.0.0.1:0
store: memory
auth:
  jwt: {json.dumps(issuers)}
tables:
  words:
    source: {{local: {{items: [{{title: a}}]}}}}
    cell: TableViewCellWithLabel
    payload: {{title: "${{title}}"}}
"""


def provider_trial():
    provider = Provider()
    provider.start("--token-max-age", "600")
    allow = {"edit": "$caller.name == 'editor'", "anonymous": {"read": False}}
    service = Service(table([{"issuer": provider.issuer, "audience": "tablecast", "allow": allow}]))
    reader, editor = provider.sign_in("reader"), provider.sign_in("editor")
    check("without a token", service.status("/v1/tables/words"), 401)
    check("a reader reads", service.status("/v1/tables/words", reader), 200)
    edit = lambda token: ask(service.port, "POST", "/v1/tables/words/items", {"Authorization": f"Bearer {token}"}, json.dumps({"title": "b"}))[0]
    check("a reader edits", edit(reader), 403)
    check("an editor edits", edit(editor), 201)
    check("a token for another client", service.status("/v1/tables/words", provider.sign_in("reader", "other")), 401)
    provider.stop()
    check("the provider is down", service.status("/v1/tables/words", reader), 200)
    # It comes back with another key: unknown here until the last fetch is half a minute ago.
    provider.start("--token-max-age", "6")
    fresh, began = provider.sign_in("reader"), time.time()
    while service.status("/v1/tables/words", fresh) != 200 and time.time() - began < 45:
        time.sleep(1)
        fresh = provider.sign_in("reader")
    check("the exchanged key counts within 35 s", time.time() - began < 35, True)
    check("the old one no longer", service.status("/v1/tables/words", reader), 401)
    service.stop()
    # A short token, and a poll that waits longer than it.
    issuer = {"issuer": provider.issuer, "audience": "tablecast", "leeway": "0s"}
    service = Service(table([issuer]))
    short = provider.sign_in("reader")
    end = json.loads(base64.urlsafe_b64decode(short.split(".")[1] + "=="))["exp"]
    cursor = json.loads(service.get("/v1/tables/words", short)[2])["cursor"]
    status, headers, _ = service.get(f"/v1/tables/words/changes?after={cursor}&wait=50", short)
    check("a waiting poll ends with its token", (status, "invalid_token" in headers.get("WWW-Authenticate", "")), (401, True))
    check("on time", 0 <= time.time() - end < 1.5, True)
    again = service.get(f"/v1/tables/words/changes?after={cursor}&wait=0", provider.sign_in("reader"))
    check("and goes on without a reset", (again[0], "reset" in json.loads(again[2])), (200, False))
    service.stop()
    provider.stop()
    check("no token is logged", any("eyJ" in line for line in service.lines), False)


def library_trial():
    """All algorithms, signed by joserfc, and attacks with its own serialisation."""
    names = ["RS256", "PS256", "ES256", "ES384", "EdDSA"]
    JWSRegistry.recommended += [name for name in names if name not in JWSRegistry.recommended]
    make = {
        "RS256": lambda i: jwk.RSAKey.generate_key(2048, i), "PS256": lambda i: jwk.RSAKey.generate_key(2048, i),
        "ES256": lambda i: jwk.ECKey.generate_key("P-256", i), "ES384": lambda i: jwk.ECKey.generate_key("P-384", i),
        "EdDSA": lambda i: jwk.OKPKey.generate_key("Ed25519", i),
    }
    keys = {name: make[name]({"kid": name, "alg": name, "use": "sig"}) for name in names}
    path = os.path.join(folder, "keys.json")
    with open(path, "w") as file:
        json.dump({"keys": [key.as_dict(private=False) for key in keys.values()]}, file)
    service = Service(table([{"issuer": "https://id.example", "audience": "tablecast", "jwks": path}]))
    claims = {"iss": "https://id.example", "aud": ["a", "tablecast"], "sub": "ada", "exp": int(time.time()) + 600}

    def token(key, algorithm, header=(), **changes):
        head = {"alg": algorithm, "kid": key.kid, **dict(header)}
        return jwt.encode(head, {**claims, **changes}, key, algorithms=names + ["HS256"])

    for name in names:
        check(f"{name} of joserfc", service.status("/v1/tables/words", token(keys[name], name)), 200)
    def symmetric(secret, payload):
        """As a verifier makes it that takes the header's word: no library signs so."""
        parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "kid": "RS256"}, payload)]
        signed = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
        code = base64.urlsafe_b64encode(hmac.digest(secret, signed, "sha256")).rstrip(b"=")
        return (signed + b"." + code).decode()

    def unmarked(key):
        """The same key, which no longer says what it is for."""
        return jwk.RSAKey.import_key(key.as_pem(private=True), {"kid": key.kid})

    stranger = jwk.RSAKey.generate_key(2048, {"kid": "RS256"})
    public = keys["RS256"].as_pem(private=False)
    attacks = {
        "PS256 by the key of RS256": token(unmarked(keys["RS256"]), "PS256"),
        "RS256 by the key of PS256": token(unmarked(keys["PS256"]), "RS256"),
        "another's key under the same kid": token(stranger, "RS256"),
        "HS256 with the public key": symmetric(public, {**claims, "kid": "RS256"}),
        "an embedded key": token(stranger, "RS256", {"jwk": stranger.as_dict(private=False)}),
        "over": token(keys["ES256"], "ES256", exp=int(time.time()) - 31),
        "not yet": token(keys["ES256"], "ES256", nbf=int(time.time()) + 60),
        "exp beyond 2^53": token(keys["ES256"], "ES256", exp=2**53),
        "for another": token(keys["ES256"], "ES256", aud="other"),
        "of another": token(keys["ES256"], "ES256", iss="https://id.example/"),
    }
    for name, attack in attacks.items():
        check(name, service.status("/v1/tables/words", attack), 401)
    check("a clock that is 20 s ahead", service.status("/v1/tables/words", token(keys["ES256"], "ES256", nbf=int(time.time()) + 20)), 200)
    # Seen before, and never seen.
    connection = http.client.HTTPConnection("127.0.0.1", service.port)

    def seconds(headers, count=1000):
        began = time.perf_counter()
        for number in range(count):
            connection.request("GET", "/v1/tables/words", headers=headers(number))
            connection.getresponse().read()
        return time.perf_counter() - began

    known = token(keys["RS256"], "RS256")
    new = [token(keys["RS256"], "RS256", jti=str(number)) for number in range(1000)]
    plain = seconds(lambda number: {})
    same = seconds(lambda number: {"Authorization": f"Bearer {known}"})
    each = seconds(lambda number: {"Authorization": f"Bearer {new[number]}"})
    print(f"     a request, in µs, from one client: {plain * 1e3:.0f} without a token, {same * 1e3:.0f} with one, "
          f"{each * 1e3:.0f} with a new one each time (RS256)")
    service.stop()


library_trial()
provider_trial()
sys.exit(1 if failures else 0)
