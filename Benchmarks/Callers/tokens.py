#!/usr/bin/env python3
"""tokens.py [--tokens N] [--rounds N] [--seconds S]: what an identity provider's token costs a request.

The service's processor time for a GET of a table of 2 KB, in microseconds, on one keep-alive connection: without a token, with one
token again and again, with a known token in a new head, and with new tokens. Tokens have the claims of Keycloak's access tokens, some
1.3 KB. *Verified* is the difference between a new and a known token; beside it stands libcrypto's own verification (`openssl speed`),
which it includes. Then GETs a second by 64 connections, with a token and without, in turn.
Needs openssl and wrk. Prints Markdown."""
import argparse
import base64
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Durability"))
import client  # noqa: E402
from client import Connection, build, start  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--tokens", type=int, default=400, help="of each algorithm")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--seconds", type=int, default=2)
options = parser.parse_args()

ISSUER = "https://id.example.com/realms/shop"
CONFIGURATION = """\
listen: 127.0.0.1:0
store: memory
auth: {jwt: {issuer: "%s", audience: tablecast, jwks: keys.json}}
tables:
  small: {source: {local: {items: %s}}}
"""
# By algorithm: how the key is made, how OpenSSL signs, and by which name its own speed is measured.
ALGORITHMS = {
    "RS256": (["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], ["-sha256"], "rsa2048"),
    "PS256": (["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], ["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"], "rsa2048"),
    "ES256": (["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], ["-sha256"], "ecdsap256"),
}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, **options).stdout


def numbers(der):
    """The two INTEGERs of an ECDSA signature."""
    found, place = [], 2
    while place < len(der):
        length = der[place + 1]
        found.append(int.from_bytes(der[place + 2:place + 2 + length], "big"))
        place += 2 + length
    return found


class Key:
    def __init__(self, folder, algorithm):
        make, self.signing, self.speed = ALGORITHMS[algorithm]
        self.algorithm, self.file = algorithm, os.path.join(folder, f"{algorithm}.pem")
        openssl("genpkey", "-algorithm", *make, "-out", self.file)
        self.jwk = {"kid": f"key-{algorithm}", "use": "sig", "alg": algorithm}
        if make[0] == "RSA":
            modulus = openssl("rsa", "-in", self.file, "-noout", "-modulus").decode().split("=")[1]
            self.jwk |= {"kty": "RSA", "n": encoded(bytes.fromhex(modulus.strip())), "e": "AQAB"}
        else:
            point = openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")[-64:]
            self.jwk |= {"kty": "EC", "crv": "P-256", "x": encoded(point[:32]), "y": encoded(point[32:])}

    def token(self, number):
        claims = {
            "exp": int(time.time()) + 86400, "iat": int(time.time()), "jti": f"5f0f2b4e-8c5c-4f0b-9e60-{number:012x}",
            "iss": ISSUER, "aud": ["account", "tablecast"], "sub": f"3b9a2f8e-61c2-4d0a-b7a1-{number:012x}", "typ": "Bearer",
            "azp": "shop-app", "sid": "d2f7c1d8-4c41-4f3c-9d8b-2d2a1c9b7e55", "acr": "1", "allowed-origins": ["https://shop.example.com"],
            "realm_access": {"roles": ["offline_access", "uma_authorization", "editor", "default-roles-shop"]},
            "resource_access": {"account": {"roles": ["manage-account", "manage-account-links", "view-profile"]}},
            "scope": "openid profile email", "email_verified": True, "name": "Robin Example", "preferred_username": "robin",
            "given_name": "Robin", "family_name": "Example", "email": "robin@example.com",
        }
        head = {"alg": self.algorithm, "typ": "JWT", "kid": self.jwk["kid"]}
        text = ".".join(encoded(json.dumps(part, separators=(",", ":")).encode()) for part in (head, claims))
        signature = openssl("dgst", *self.signing, "-sign", self.file, input=text.encode())
        if self.algorithm == "ES256":
            signature = b"".join(number.to_bytes(32, "big") for number in numbers(signature))
        return f"{text}.{encoded(signature)}"

    def library(self):
        """Microseconds of libcrypto's own verification of a short message's digest."""
        lines = openssl("speed", "-seconds", "1", self.speed).decode().splitlines()
        return 1e6 / float(lines[-1].split()[-1])


def measure(process, connection, fields):
    """Microseconds of the service's processor time for each request, one for each of the fields."""
    def used():
        return time.clock_gettime(~process.pid << 3 | 2)

    heads = [f"GET /v1/tables/small HTTP/1.1\r\nHost: localhost\r\n{field}\r\n".encode() for field in fields]
    begun = used()
    for head in heads:
        connection.socket.sendall(head)
        connection.receive()
    return (used() - begun) / len(heads) * 1e6


def main():
    build()
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    keys = {algorithm: Key(folder, algorithm) for algorithm in ALGORITHMS}
    with open("keys.json", "w") as file:
        json.dump({"keys": [key.jwk for key in keys.values()]}, file)
    items = [{"title": f"Story number {n * 7919 % 100003} of the day", "number": n} for n in range(12)]
    process, port = start(folder, CONFIGURATION % (ISSUER, json.dumps(items)))
    try:
        count, serial = options.tokens, 0

        def other():
            """A field that makes a head another one, and is read by nobody."""
            nonlocal serial
            serial += 1
            return f"X-Serial: {serial:09d}\r\n"

        print(f"{count} requests of each kind in each of {options.rounds} rounds, the least of the rounds; microseconds of the processor\n")
        print("| | no token | the same head again | a known token | a new token | verified | OpenSSL |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        measure(process, Connection(port), [other() for _ in range(2000)])
        for algorithm, key in keys.items():
            tokens = [f"Authorization: Bearer {key.token(number)}\r\n" for number in range(count * options.rounds)]
            # Signing them takes longer than the service keeps an idle connection.
            connection = Connection(port)
            kinds = {"none": [], "again": [], "seen": [], "new": []}
            for turn in range(options.rounds):
                new = tokens[turn * count:(turn + 1) * count]
                kinds["none"].append(measure(process, connection, [other() for _ in new]))
                kinds["new"].append(measure(process, connection, [other() + field for field in new]))
                kinds["seen"].append(measure(process, connection, [other() + field for field in new]))
                kinds["again"].append(measure(process, connection, new[:1] * count))
            none, again, seen, new = (min(kinds[name]) for name in ("none", "again", "seen", "new"))
            print(f"| {algorithm} | {none:.0f} | {again:.0f} | {seen:.0f} | {new:.0f} | {new - seen:.0f} | {key.library():.0f} |", flush=True)

        url, field = f"http://127.0.0.1:{port}/v1/tables/small", tokens[0].strip()

        cores = sorted(os.sched_getaffinity(0))
        subprocess.run(["taskset", "-a", "-p", "-c", str(cores[0]), str(process.pid)], check=True, capture_output=True)

        def requests(*arguments):
            output = subprocess.run(["taskset", "-c", str(cores[-1]), "wrk", "-t1", "-c64", f"-d{options.seconds}s", *arguments, url],
                                    check=True, capture_output=True, text=True).stdout
            if "Non-2xx" in output:
                raise SystemExit(output)
            return float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))

        requests()
        rounds = [(requests(), requests("-H", field)) for _ in range(options.rounds)]
        without, with_token = (statistics.median(times) for times in zip(*rounds))
        ratio = statistics.median(with_token / without for without, with_token in rounds)
        print(f"\nGETs a second by 64 connections: {without:,.0f} without a token, {with_token:,.0f} with one: {ratio:.2f} of it")
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


main()
