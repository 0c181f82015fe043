"""The configuration of `bin/nightly` matches the repository. The nightly tests themselves take hours."""

import json
import re
import subprocess

import pytest

from acceptance.server import ROOT

SUITES = json.loads((ROOT / "Tests/Nightly/mutants.json").read_text())


@pytest.mark.parametrize("suite", SUITES, ids=[suite["name"] for suite in SUITES])
def test_the_sources_and_the_test_target_of_a_suite_exist(suite):
    for path in suite["sources"]:
        assert (ROOT / path).exists(), path
    assert f'name: "{suite["target"]}"' in (ROOT / "Package.swift").read_text()


def test_the_help_lists_every_command_and_the_documentation_describes_it():
    text = subprocess.run([ROOT / "bin/nightly", "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"bin/nightly (\w+)  ?", text)
    functions = re.findall(r"^nightly_(\w+)\(\)", (ROOT / "bin/nightly").read_text(), re.MULTILINE)

    assert set(functions) <= set(commands)
    documentation = (ROOT / "Tests/Nightly/README.md").read_text()
    for command in functions:
        assert f"`bin/nightly {command}`" in documentation, command


@pytest.mark.parametrize("command", ["variables", "browsers", "mutants", "campaign", "failover"])
def test_a_nightly_program_starts(command):
    text = subprocess.run([ROOT / "bin/nightly", command, "--help"], capture_output=True, text=True, check=True).stdout

    assert text.startswith(f"usage: {command}.py")
