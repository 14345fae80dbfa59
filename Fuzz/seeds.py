#!/usr/bin/env python3
"""seeds.py DIRECTORY: writes the seed corpora, made of Tests/HTTPCases/cases.jsonl."""
import json, os, sys

here = os.path.dirname(os.path.abspath(__file__))
root = sys.argv[1]


def write(target, name, data):
    os.makedirs(os.path.join(root, target), exist_ok=True)
    with open(os.path.join(root, target, name), "wb") as file:
        file.write(data)


for line in open(os.path.join(here, "../Tests/HTTPCases/cases.jsonl")):
    case = json.loads(line)
    text = "".join(p["text"] * min(p["count"], 40) for p in case["send"])
    data = text.encode("latin-1")
    write("Requests", case["name"], b"\x07\x13" + data[:4096])
    if b"chunked" in data and b"\r\n\r\n" in data:
        write("Chunks", case["name"], data.split(b"\r\n\r\n", 1)[1][:4096])
    lines = data.split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) > 1:
        write("Grammar", case["name"] + "-target", b"\x00" + words[1][:512])
    kinds = {b"host": 1, b"accept-encoding": 2, b"if-none-match": 3}
    for number, field in enumerate(lines[1:20]):
        if b":" in field:
            name, value = field.split(b":", 1)
            kind = kinds.get(name.lower(), 4 + number % 2)
            write("Grammar", f"{case['name']}-{number}", bytes([kind]) + value.strip()[:512])

for number, value in enumerate([
    b"\x00for=192.0.2.60;proto=http;by=203.0.113.43", b"\x00For=\"[2001:db8:cafe::17]:4711\", for=unknown",
    b"\x00for=_hidden, for=\"a\\\"b", b"\x01192.0.2.1, [2001:db8::1]:80", b"\x02app.example.:80", b"\x02[::1]:8080",
    b"\x02127.0.0.1", b"\x03" + b"2001:db8::/32", b"\x0310.0.0.0/8",
]):
    write("Forwarded", str(number), value)

for number, value in enumerate([
    b"\x00todo*\x00todos", b"\x00*a*b*c\x00xaybzc", b"\x00**\x00", b'\x01{"a":{"b":1},"c":2}\x00{"a":{"b":null},"d":[]}',
    b'\x01[1]\x00{"a":{"b":{"c":null}}}', b"\x02a b/c%20%", b"\x02\xc3\xa9",
]):
    write("Values", str(number), value)

for number, value in enumerate([
    b"\x00issues;owner=apple;repo=swift", b"\x00list;q=caf%C3%A9;q=cafe%CC%81", b"\x00%3B;=;a", b"\x00a;b;c=d%2",
    b"\x01Label, PollCell;v=2", b"\x01Label;v=;w=1,,Label;v=99999999999999999999", b"\x01;;;,=,\t",
]):
    write("Tables", str(number), value)

for number, value in enumerate([
    b'{"a":1,"b":{"c":"x","d":[1.5,-2e3]},"n":null},{"a":2,"b":{"c":"y\\n","d":[]},"n":true}',
    '{"größe":"\\u00e9\\ud83d\\ude00","":[{}]},{"größe":"ü","":0}'.encode(), b'{"a":"' + b"long \\\\ " * 20 + b'"}',
    b'{"a" : 123456789012345678 , "b" : false}', b'{"b":[{"c":1}],"a":{"b":{"c":[[]]}}},7,"x",[{"a":1}]',
]):
    write("Members", str(number), value)

deep = b"[" * 40 + b"]" * 40
for number, value in enumerate([
    b'a\0b/c\0\0' + b'{"a":1,"b":{"c":"x"},"":0},{"a":[],"b":{"c":{}}},{}', "é\0e\u0301\0".encode() + '{"é":1,"e\u0301":2}'.encode(),
    b'a\0' + b'{"\\u0061":1,"a":2},{"a":"\\ud800","a":"\\udc00\\ud83d\\ude00"}', b'a\0' + b'{"a":1e309},{"a":-0.0},{"a":18446744073709551616},{"a":-9223372036854775809}',
    b'a\0b\0' + b'{"x":"' + b"y" * 70 + b'\\"","a":' + deep + b',"b":' + b"1" * 40 + b"}", b'a/b/c\0a\0' + b'{"a":{"b":{"c":1}},"a":{"b":2}},{"a":3},4,"5",null',
    b'a\0' + b'{"a":1,},{"a" 1},{"a":tru},{"a":01},{"a":1.},{"a":.1},{"a":+1},{"a":"\t"}', b'a\0' + b' \n{ "a" :\t[ 1 , 2 ] } \r, {"b":1}' + b" " * 90,
]):
    write("Elements", str(number), value)

# The kind; header, payload and signature as they are; keys.
claims = b'{"iss":"joe","aud":["a"],"sub":"s","exp":1300819380,"nbf":0}'
for number, value in enumerate([
    b'\x01{"alg":"RS256","kid":"r","typ":"JWT"}\x00' + claims + b"\x00" + bytes(256),
    b'\x01{"alg":"ES256","kid":"e"}\x00' + claims + b"\x00" + bytes(range(64)),
    b'\x01{"alg":"none","crit":["b64"],"b64":false}\x00' + claims + b"\x00",
    b"\x00eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
    b"cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
    b'\x02{"keys":[{"kty":"EC","crv":"P-256","kid":"e","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",'
    b'"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"RSA","e":"AQAB","n":"AQAB","alg":"PS256"},'
    b'{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","use":"sig","key_ops":["verify"]}]}',
]):
    write("Tokens", str(number), value)
