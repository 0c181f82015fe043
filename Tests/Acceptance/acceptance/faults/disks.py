"""Disks that are cut off, full or slow, made of files. All of it needs root."""

import atexit
import contextlib
import functools
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
    if tried.returncode:
        return f"mounting is not permitted here: {tried.stderr.strip()}"
    # Nor may it have loop devices, or a kernel that knows the file system.
    return next(filter(None, (_formatting(name) for name in programs if name.startswith("mkfs."))), None)


@functools.cache
def _formatting(program):
    """Why a file that this program makes a file system of cannot be mounted; None where it can."""
    with tempfile.NamedTemporaryFile(prefix="saunter-disks-") as image:
        image.truncate(320 * MEBIBYTE)
        tried = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{program} -q {image.name} && mount -o loop {image.name} /mnt"], capture_output=True, text=True)
    return f"{program[5:]} in a file cannot be mounted here: {tried.stderr.strip()}" if tried.returncode else None


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


class FailingDisk:
    """An ext4 disk in a file with holes on a small tmpfs. While the tmpfs is full the disk has room and takes what it is given, but what comes to lie
    where nothing lay before reaches it no more: fsync fails once, the system forgets what it could not write, and the next fsync succeeds."""

    def __init__(self, mounts, mebibytes=320):
        self._outer = mounts.mount("outer", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=755", "tmpfs")
        self._image = self._outer / "disk.img"
        self._ballast = self._outer / "ballast"
        with open(self._image, "wb") as file:
            file.truncate(8 * mebibytes * MEBIBYTE)
        # All places of its own data are written, none is left a hole: else the file system would be the first to fail.
        run("env", "UNIX_IO_NOZEROOUT=1", "mkfs.ext4", "-q", "-m", "0", "-J", "size=64", "-O", "^metadata_csum,^uninit_bg",
            "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", self._image)
        # What is deleted on it becomes holes again.
        self._options = ("-o", "loop,discard,errors=remount-ro", self._image)
        self.place = mounts.mount("disk", *self._options)
        self.place.chmod(0o755)
        self._write_by_pages()

    def _write_by_pages(self):
        """Of a write of several pages the tmpfs may take the first ones only, and Linux's loop device would call that a success: a disk that lies."""
        device = os.stat(self.place).st_dev
        queue = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/queue")
        (queue / "max_sectors_kb").write_text(str(os.sysconf("SC_PAGE_SIZE") // 1024))

    def fail(self):
        """From now on. The file system's own new places are written before: only in its log they would still wait for it, and it would give up."""
        run("fsfreeze", "--freeze", self.place)
        run("fsfreeze", "--unfreeze", self.place)
        self.go_on_failing()

    def go_on_failing(self):
        """What is deleted on it makes room, which is taken too."""
        fill(self._ballast)

    def heal(self):
        self._ballast.unlink(missing_ok=True)

    @property
    def is_read_only(self):
        """Whether the file system has given up; then it has to be mounted anew. Systems tell it in several ways."""
        probe = self.place / "probe"
        try:
            probe.touch()
            probe.unlink()
        except OSError:
            return True
        return False

    def remount(self):
        """What was only in the system's memory is gone. False as long as somebody uses it."""
        if subprocess.run(["umount", self.place], capture_output=True).returncode:
            return False
        # It takes its log into account, and what it corrects is no fault (1).
        assert subprocess.run(["e2fsck", "-p", self._image], capture_output=True).returncode <= 1
        run("mount", *self._options, self.place)
        self._write_by_pages()
        return True


def fill(path):
    """Writes until nothing more goes in."""
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 20, 1 << 14, 1 << 12):
            try:
                while file.write(b"\1" * size) == size:
                    pass
            except OSError:
                continue


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout
