"""A separate network in which a test determines, and changes, the addresses of host names."""

import os
import queue
import socket
import struct
import subprocess
import threading

from .network import own_network


def missing_requirement():
    """Why this machine cannot make such a network; None if it can."""
    if os.geteuid() != 0:
        return "only root makes networks"
    try:
        with own_network():
            subprocess.run(["unshare", "-m", "true"], check=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        return f"no network can be made here: {fault}"
    return None


class IsolatedNetwork:
    """A network with one machine and no connection to other networks. `addresses` are added to the usual addresses of the machine."""

    def __init__(self, directory, addresses):
        self.host_addresses, self.queries = {}, []
        self._resolver = directory / "resolv.conf"
        # One attempt, because each answer is used once; a long timeout, because the name server may be busy.
        self._resolver.write_text("nameserver 127.0.0.1\noptions timeout:20 attempts:1\n")
        self._work = queue.Queue()
        threading.Thread(target=self._run_calls, daemon=True).start()
        self.call(lambda: self._make(addresses))

    def call(self, work):
        """Calls a function in the network. Sockets and processes that it makes stay in the network."""
        answer = queue.Queue()
        self._work.put((work, answer))
        value, fault = answer.get(timeout=240)
        if fault:
            raise fault
        return value

    def run(self, *command, **more):
        """Runs a command in the network, with its host names."""
        script = 'mount --bind "$0" "$(readlink -f /etc/resolv.conf)" && exec "$@"'
        return self.call(lambda: subprocess.run(
            ["unshare", "-m", "sh", "-c", script, self._resolver, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
            **more))

    def close(self):
        self._work.put((None, None))

    def _run_calls(self):
        with own_network():
            while True:
                work, answer = self._work.get()
                if work is None:
                    return
                try:
                    answer.put((work(), None))
                except BaseException as fault:
                    answer.put((None, fault))

    def _make(self, addresses):
        for address in addresses:
            subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], check=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        """The name server. `host_addresses` maps a name to its answers in order; each is a list of addresses, and the last one repeats. No name has IPv6."""
        while True:
            question, client = self._socket.recvfrom(4096)
            labels, offset = [], 12
            while question[offset]:
                labels.append(question[offset + 1:offset + 1 + question[offset]].decode())
                offset += 1 + question[offset]
            name, (kind,) = ".".join(labels).lower(), struct.unpack("!H", question[offset + 1:offset + 3])
            found = []
            if kind == 1 and name in self.host_addresses:
                answers = self.host_addresses[name]
                found = answers.pop(0) if len(answers) > 1 else answers[0]
                self.queries.append((name, found))
            head = question[:2] + struct.pack("!HHHHH", 0x8180 if name in self.host_addresses else 0x8183, 1, len(found), 0, 0)
            records = b"".join(struct.pack("!HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(address) for address in found)
            self._socket.sendto(head + question[12:offset + 5] + records, client)
