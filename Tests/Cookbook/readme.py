#!/usr/bin/env python3
"""readme.py BINARY: pastes README's session into a shell, with the demo running, and holds what comes to what the page shows."""
import json, os, pathlib, re, signal, socket, subprocess, sys, tempfile, time, urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def normalised(value):
    """Without what differs from run to run: the epochs of cursors."""
    if isinstance(value, dict):
        return {name: normalised(member) for name, member in value.items()}
    if isinstance(value, list):
        return [normalised(element) for element in value]
    return re.sub(r"^[0-9a-f]{12}\.", "EPOCH.", value) if isinstance(value, str) else value


def initialized(binary, blocks, demo):
    """What `Try it` makes of the demo's API: how many rows are served. Ports are those that are free."""
    for line in demo.stdout:
        if found := re.search(r"\(http://127\.0\.0\.1:(\d+)/flights\)", line):
            break
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = "\n".join(blocks).replace("localhost:8081", f"localhost:{found[1]}").replace("8082", str(port))
    script = script.replace("curl ", "curl --silent ")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", f"set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n{script}"], capture_output=True, text=True,
                              cwd=folder, timeout=120, env={**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}"})
    shown = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"table"')]
    if done.returncode != 0 or not shown or shown[0]["state"] not in ("ready", "loading"):
        sys.exit(f"README's Try it: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return sum(len(section["rows"]) for section in shown[0]["sections"])


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    readme = (ROOT / "README.md").read_text()
    session = readme[readme.index("## A session"):readme.index("## In an app")]
    tried = re.findall(r"```sh\n(.*?)```", readme[readme.index("## Try it"):readme.index("## Your own API")], re.S)
    commands = re.findall(r"```sh\n(.*?)```", session, re.S)
    shown = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", session, re.S)]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    demo = subprocess.Popen([binary, "demo", "--listen", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
                break
            except OSError:
                if demo.poll() is not None:
                    sys.exit("the demo ended")
                time.sleep(0.1)
        rows = initialized(binary, tried, demo)
        script = "set -euo pipefail\n" + "\n".join(commands)
        done = subprocess.run(["bash", "-c", script.replace("localhost:8080", f"127.0.0.1:{port}")], capture_output=True, text=True, timeout=120)
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait(20)
    answers, text, decoder = [], done.stdout.strip(), json.JSONDecoder()
    while text:
        value, end = decoder.raw_decode(text)
        answers.append(value)
        text = text[end:].strip()
    missing = [value for value in shown if normalised(value) not in [normalised(answer) for answer in answers]]
    if done.returncode != 0 or missing or len(shown) < 2:
        sys.exit(f"README's session: exit {done.returncode}\n{done.stdout}{done.stderr}\nshown, and not answered: {missing}")
    print(f"README's session: {len(commands)} blocks pasted, {len(shown)} answers as shown; a table of the demo's API by init, {rows} rows")


main()
