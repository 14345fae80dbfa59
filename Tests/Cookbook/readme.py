#!/usr/bin/env python3
"""readme.py BINARY: pastes README's session into a shell, with the demo running, and holds what comes to what the page shows."""
import json, pathlib, re, signal, socket, subprocess, sys, time, urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def normalised(value):
    """Without what differs from run to run: the epochs of cursors."""
    if isinstance(value, dict):
        return {name: normalised(member) for name, member in value.items()}
    if isinstance(value, list):
        return [normalised(element) for element in value]
    return re.sub(r"^[0-9a-f]{12}\.", "EPOCH.", value) if isinstance(value, str) else value


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    readme = (ROOT / "README.md").read_text()
    session = readme[readme.index("## A session"):readme.index("## In an app")]
    commands = re.findall(r"```sh\n(.*?)```", session, re.S)
    shown = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", session, re.S)]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    demo = subprocess.Popen([binary, "demo", "--listen", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
                break
            except OSError:
                if demo.poll() is not None:
                    sys.exit("the demo ended")
                time.sleep(0.1)
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
    print(f"README's session: {len(commands)} blocks pasted, {len(shown)} answers as shown")


main()
