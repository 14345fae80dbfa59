#!/usr/bin/env python3
"""manual.py BINARY OUTPUT: the manual page tablecast(1): commands and options as the binary itself describes them
(--experimental-dump-help), and what it can't say of itself: files, signals, exit statuses."""
import json, re, subprocess, sys


def escaped(text):
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def paragraphs(text):
    """Indented lines are examples."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if all(line.startswith("  ") for line in block.split("\n")):
            out += [".PP", ".nf", ".RS 2", *(escaped(line[2:]) for line in block.split("\n")), ".RE", ".fi"]
        else:
            out += [".PP", escaped(" ".join(block.split()))]
    return out


def flag(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def arguments(command):
    out = []
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        value = escaped(argument.get("valueName", "")).upper()
        names = ", ".join("\\fB%s\\fR" % escaped(flag(name)) for name in argument.get("names") or [])
        if argument["kind"] == "positional":
            names = "\\fI%s\\fR" % value
        elif argument["kind"] == "option":
            names += " \\fI%s\\fR" % value
        text = argument.get("abstract", "")
        default = argument.get("defaultValue")
        if default and "default" not in text.lower():
            text += " Default: %s." % default
        out += [".TP", names, escaped(" ".join(text.split())) or "\\&"]
    return out


def main():
    binary, output = sys.argv[1:]
    run = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True, text=True).stdout
    command = json.loads(run("--experimental-dump-help"))["command"]
    page = ['.TH TABLECAST 1 "" "tablecast %s" "User Commands"' % run("--version").strip(),
            ".SH NAME", "tablecast \\- " + escaped("serves live table view-models over HTTP"),
            ".SH SYNOPSIS", ".B tablecast", "\\fICOMMAND\\fR [\\fIOPTION\\fR]...",
            ".SH DESCRIPTION", *paragraphs(command["abstract"]), *paragraphs(command.get("discussion", ""))]
    page += [".SH COMMANDS"]
    for sub in command.get("subcommands", []):
        if sub["commandName"] == "help" or not sub.get("shouldDisplay", True):
            continue
        page += [".SS tablecast " + escaped(sub["commandName"]), *paragraphs(sub.get("abstract", "")),
                 *paragraphs(sub.get("discussion", "")), *arguments(sub)]
        for nested in sub.get("subcommands", []):
            page += [".PP", "\\fBtablecast %s %s\\fR" % (escaped(sub["commandName"]), escaped(nested["commandName"])),
                     *paragraphs(nested.get("abstract", "")), *arguments(nested)]
    page += [
        ".SH SIGNALS", ".TP", "\\fBSIGTERM\\fR, \\fBSIGINT\\fR", "End the service in order: waiting requests are answered, the store is closed.",
        ".TP", "\\fBSIGHUP\\fR", "Read the configuration again. Where it is wrong, the old one stays in force and the log says why.",
        ".SH FILES", ".TP", "/etc/tablecast/tablecast.yaml", "The configuration of the system's service.",
        ".TP", escaped("/etc/tablecast/credentials/NAME"),
        escaped("The value of ${env.NAME} in it, for the service alone (systemd's LoadCredential)."),
        ".TP", "/var/lib/tablecast", "The system's service keeps its store there.",
        ".SH ENVIRONMENT", ".TP", "\\fINAME\\fR, \\fINAME\\fB_FILE\\fR",
        escaped("The value of ${env.NAME} in a configuration, or a file that contains it."),
        ".SH EXIT STATUS", escaped("0 on success; 64 when the command line is wrong; 1 otherwise, with the reason on standard error."),
        ".SH SEE ALSO", escaped("/usr/share/doc/tablecast/ has every key of a configuration (reference.yaml) and its JSON schema."),
    ]
    with open(output, "w") as file:
        file.write("\n".join(page) + "\n")


main()
