"""The statements of `sql/queries`, prepared and timed in one session of psql."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = re.compile(r"^-- name: (\w+)\((.*)\) :\w+$", re.MULTILINE)


class Statement:
    """One statement with its parameters, each a pair of name and type."""

    def __init__(self, name, parameters, text):
        self.name = name
        self.parameters = [tuple(part.split(" ", 1)) for part in parameters.split(", ") if part]
        names = [parameter for parameter, _ in self.parameters]
        # A comment can name a parameter, and `::` is a cast.
        text = re.sub(r"^\s*--.*$", "", text, flags=re.MULTILINE).strip().rstrip(";")
        self.sql = re.sub(r"(?<![:\w]):([a-z_][a-z0-9_]*)\b", lambda found: f"${names.index(found[1]) + 1}", text)

    def call(self, values):
        """The command that executes the prepared statement. Absent values are null."""
        unknown = set(values) - {parameter for parameter, _ in self.parameters}
        assert not unknown, f"{self.name} has no {unknown}"
        return f"execute {self.name}({', '.join(values.get(name, 'null') for name, _ in self.parameters)})" if self.parameters else f"execute {self.name}"

    @property
    def preparation(self):
        types = ", ".join(kind for _, kind in self.parameters)
        return f"prepare {self.name}{f' ({types})' if types else ''} as {self.sql}"


def read(folder=ROOT / "sql" / "queries"):
    """Name -> statement, of all files of a folder."""
    found = {}
    for file in sorted(folder.glob("*.sql")):
        parts = HEADER.split(file.read_text())
        for name, parameters, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            found[name] = Statement(name, parameters, text)
    return found


class Session:
    """One connection, as a server keeps it: the statements are prepared, and their results are read whole."""

    def __init__(self, connection, statements):
        self.statements = statements
        self.prepared = set()
        self.program = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", connection], cwd="/", env=os.environ | {"LC_ALL": "C.UTF-8"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        [self.process] = self.run("select pg_backend_pid()")

    def run(self, command):
        """The lines that psql prints."""
        self.program.stdin.write(f"{command};\n\\echo done\n")
        self.program.stdin.flush()
        lines = []
        while (line := self.program.stdout.readline()) != "done\n":
            assert line, f"psql ended at: {command[:200]}"
            lines.append(line.rstrip("\n"))
        return lines

    def processor(self):
        """The processor time of the connection's process until now, in milliseconds. Workers of a parallel plan do not count."""
        return int(pathlib.Path(f"/proc/{self.process}/schedstat").read_text().split()[0]) / 1e6

    def milliseconds(self, name, values):
        """The time and the processor time of one execution."""
        statement = self.statements[name]
        if name not in self.prepared:
            self.run(statement.preparation)
            self.prepared.add(name)
        before = self.processor()
        lines = self.run(f"\\o /dev/null\n\\timing on\n{statement.call(values)};\n\\timing off\n\\o\nselect 1")
        [time] = [line for line in lines if line.startswith("Time: ")]
        return float(time.split()[1]), self.processor() - before

    def close(self):
        self.program.stdin.close()
        self.program.wait(30)
