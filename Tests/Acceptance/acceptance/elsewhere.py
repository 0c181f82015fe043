"""A network of its own, in which names have the addresses that a test says, and change them as it says."""

import os
import queue
import socket
import struct
import subprocess
import threading

from .network import own_network


def needed():
    """Why there can be none here; None where there can."""
    if os.geteuid() != 0:
        return "only root makes networks"
    try:
        with own_network():
            subprocess.run(["unshare", "-m", "true"], check=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        return f"no network can be made here: {fault}"
    return None


class Elsewhere:
    """Nothing gets in or out but what is asked for here. `addresses` are this network's only machine's, besides the usual ones of any machine."""

    def __init__(self, directory, addresses):
        self.names, self.asked = {}, []
        self._resolver = directory / "resolv.conf"
        # Asked once, because each answer counts, and waited for, because whoever answers may be busy.
        self._resolver.write_text("nameserver 127.0.0.1\noptions timeout:20 attempts:1\n")
        self._work = queue.Queue()
        threading.Thread(target=self._live, daemon=True).start()
        self.do(lambda: self._make(addresses))

    def do(self, work):
        """Does it in there: a socket made by it stays in there, whoever uses it, and so does a process."""
        answer = queue.Queue()
        self._work.put((work, answer))
        value, fault = answer.get(timeout=240)
        if fault:
            raise fault
        return value

    def run(self, *command, **more):
        """A command in there, to which names are what they are in there."""
        script = 'mount --bind "$0" "$(readlink -f /etc/resolv.conf)" && exec "$@"'
        return self.do(lambda: subprocess.run(
            ["unshare", "-m", "sh", "-c", script, self._resolver, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
            **more))

    def close(self):
        self._work.put((None, None))

    def _live(self):
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
        """`names` is a name's answers in their order, each some addresses; the last one stays. A name has no IPv6."""
        while True:
            question, client = self._socket.recvfrom(4096)
            labels, place = [], 12
            while question[place]:
                labels.append(question[place + 1:place + 1 + question[place]].decode())
                place += 1 + question[place]
            name, (kind,) = ".".join(labels).lower(), struct.unpack("!H", question[place + 1:place + 3])
            found = []
            if kind == 1 and name in self.names:
                answers = self.names[name]
                found = answers.pop(0) if len(answers) > 1 else answers[0]
                self.asked.append((name, found))
            head = question[:2] + struct.pack("!HHHHH", 0x8180 if name in self.names else 0x8183, 1, len(found), 0, 0)
            records = b"".join(struct.pack("!HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(address) for address in found)
            self._socket.sendto(head + question[12:place + 5] + records, client)
