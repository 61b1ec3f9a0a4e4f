#!/usr/bin/env python3
"""What `gluonc completion` and `gluonc man` print says what the tables of the command line say.

    completion_test.py --gluonc GLUONC

bash runs its script; zsh, fish and mandoc read theirs where they are installed.
"""

import argparse
import re
import shutil
import subprocess
import tempfile


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def commands(gluonc):
    """{command: its options}, as the help texts tell."""
    found = {}
    for line in output(gluonc, "--help").splitlines():
        match = re.match(r"  gluonc (\S+)", line)
        if match and match.group(1) not in found:
            text = output(gluonc, match.group(1), "--help")
            found[match.group(1)] = re.findall(r"^  (--?[\w-]+)", text, re.M)
    assert len(found) > 7 and "--target" in found["compile"], found
    return found


def complete(script, line):
    """What bash offers where the cursor is at the end of `line`."""
    text = f'source "$1"; COMP_LINE="$2"; COMP_POINT=${{#COMP_LINE}}; _gluonc; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return output("bash", "-c", text, "bash", script, line).split()


def check_bash(script, table):
    everything = complete(script, "gluonc ")
    assert set(everything) == {*table, "--help", "--version"}, everything
    assert complete(script, "gluonc com") == ["compile", "completion"]
    for name, options in table.items():
        assert complete(script, f"gluonc {name} -") == options, name
    assert complete(script, "gluonc compile --emit p") == ["ptx"]
    # bash replaces what is behind the colon.
    assert complete(script, "gluonc compile k.py --target cuda:90") == ["90a"]
    assert complete(script, "gluonc cache pr") == ["prune"]
    assert complete(script, "gluonc bundle me") == ["merge"]
    assert complete(script, "gluonc compile fil") == []
    # Words that the help texts name.
    for line, words in (("run k.py --device ", ["cpu", "ptx", "amdgcn", "cuda", "hip"]),
                        ("run k.py --races ", ["ignore", "warn", "fault"]),
                        ("run k.py --masked-off w", ["warn"]), ("info --format ", ["text", "json"]),
                        ("layout --format ", ["text", "svg", "html"]),
                        ("check --diagnostics j", ["json"])):
        assert complete(script, f"gluonc {line}") == words, line


def check_others(texts, table):
    for shell in ("zsh", "fish"):
        for name, options in table.items():
            for option in options:
                word = option if shell == "zsh" else f" {option.lstrip('-')} "
                assert word in texts[shell], (shell, name, option)
        if shutil.which(shell):
            subprocess.run([shell, "-n"], input=texts[shell], text=True, check=True)
    if shutil.which("fish"):
        offered = output("fish", "-c", texts["fish"] + '\ncomplete -C "gluonc cache "').split()
        assert offered[:4] == ["list", "prune", "size", "verify"], offered


def check_manual(text, table):
    plain = text.replace("\\-", "-")
    for name, options in table.items():
        assert f".SS gluonc {name}\n" in plain, name
        assert all(f"\\fB{option}\\fR" in plain for option in options), name
    for line in ("GLUONC_CACHE_DIR", "70"):
        assert f".B {line}\n" in text
    if shutil.which("mandoc"):
        subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=text, text=True, check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    gluonc = parser.parse_args().gluonc
    table = commands(gluonc)
    texts = {shell: output(gluonc, "completion", shell) for shell in ("bash", "zsh", "fish")}
    with tempfile.NamedTemporaryFile("w") as script:
        script.write(texts["bash"])
        script.flush()
        check_bash(script.name, table)
    check_others(texts, table)
    check_manual(output(gluonc, "man"), table)
    wrong = subprocess.run([gluonc, "completion", "tcsh"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "bash, zsh or fish" in wrong.stderr
    print(f"completion: {sum(map(len, table.values()))} options of {len(table)} commands")


if __name__ == "__main__":
    main()
