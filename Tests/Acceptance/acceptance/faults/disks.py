"""Disks that are cut off, full or slow, made of files. All of it needs root."""

import atexit
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

MEBIBYTE = 1024 * 1024


def obstacle(*programs):
    """Why there can be no such disks here; None where there can."""
    if os.geteuid() != 0:
        return "mounting takes root"
    missing = [name for name in ("mount", "losetup", *programs) if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)}: not installed (bin/setup test)"
    # Root of a container may not be allowed to mount anything.
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True)
    return f"mounting is not permitted here: {tried.stderr.strip()}" if tried.returncode else None


class Mounts:
    """What was mounted, taken away in reverse order whatever happens."""

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="saunter-disks-"))
        self.base.chmod(0o755)
        self._mounted = []
        atexit.register(self.remove)

    def mount(self, name, *arguments):
        place = self.base / name
        place.mkdir()
        run("mount", *arguments, place)
        self._mounted.append(place)
        return place

    def unmount(self, place):
        """What still uses it is let go when it ends."""
        subprocess.run(["umount", "-l", place], check=False, capture_output=True)
        self._mounted.remove(place)
        place.rmdir()

    def remove(self):
        atexit.unregister(self.remove)
        for place in reversed(list(self._mounted)):
            self.unmount(place)
        shutil.rmtree(self.base, ignore_errors=True)


@contextlib.contextmanager
def mounts():
    made = Mounts()
    try:
        yield made
    finally:
        made.remove()


class CuttableDisk:
    """An ext4 disk in a file on an XFS disk that can share blocks: a copy of the file is the disk as it was at one instant, without
    whatever had not been written to it."""

    def __init__(self, mounts, mebibytes=1024):
        self._mounts = mounts
        self._cuts = 0
        outer = mounts.base / "outer.img"
        with open(outer, "wb") as file:
            file.truncate(6 * mebibytes * MEBIBYTE)
        run("mkfs.xfs", "-q", "-m", "reflink=1", outer)
        self._outer = mounts.mount("outer", "-o", "loop", outer)
        self._disk = self._outer / "disk.img"
        with open(self._disk, "wb") as file:
            file.truncate(mebibytes * MEBIBYTE)
        run("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", self._disk)
        self.place = mounts.mount("disk", "-o", "loop", self._disk)
        self.place.chmod(0o755)

    @contextlib.contextmanager
    def cut(self):
        """The power fails here; what is found on the disk afterwards is mounted elsewhere."""
        self._cuts += 1
        copy = self._outer / f"cut-{self._cuts}.img"
        run("cp", "--reflink=always", self._disk, copy)
        place = self._mounts.mount(f"cut-{self._cuts}", "-o", "loop", copy)
        try:
            yield place
        finally:
            self._mounts.unmount(place)
            copy.unlink()


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout
