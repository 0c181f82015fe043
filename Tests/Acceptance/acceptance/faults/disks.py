"""Disks in files that can lose power, fill up or fail. All of them need root."""

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
    """Why this machine cannot make such disks; None if it can."""
    if os.geteuid() != 0:
        return "mounting takes root"
    missing = [name for name in ("mount", "losetup", *programs) if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)}: not installed (bin/setup test)"
    # Root of a container may not be allowed to mount anything.
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True)
    if tried.returncode:
        return f"mounting is not permitted here: {tried.stderr.strip()}"
    # A container may also lack loop devices, or a kernel with the file system.
    return next(filter(None, (_formatting(name) for name in programs if name.startswith("mkfs."))), None)


@functools.cache
def _formatting(program):
    """Why a file with a file system of this program cannot be mounted; None if it can."""
    with tempfile.NamedTemporaryFile(prefix="saunter-disks-") as image:
        image.truncate(320 * MEBIBYTE)
        tried = subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{program} -q {image.name} && mount -o loop {image.name} /mnt"], capture_output=True, text=True)
    return f"{program[5:]} in a file cannot be mounted here: {tried.stderr.strip()}" if tried.returncode else None


class Mounts:
    """Mounts that are removed in reverse order."""

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="saunter-disks-"))
        self.base.chmod(0o755)
        self._mounted = []
        atexit.register(self.remove)

    def mount(self, name, *arguments):
        path = self.base / name
        path.mkdir()
        run("mount", *arguments, path)
        self._mounted.append(path)
        return path

    def unmount(self, path):
        """Unmounts lazily: the kernel frees the file system when the last process has closed its files."""
        subprocess.run(["umount", "-l", path], check=False, capture_output=True)
        self._mounted.remove(path)
        path.rmdir()

    def remove(self):
        atexit.unregister(self.remove)
        for path in reversed(list(self._mounted)):
            self.unmount(path)
        shutil.rmtree(self.base, ignore_errors=True)


@contextlib.contextmanager
def mounts():
    made = Mounts()
    try:
        yield made
    finally:
        made.remove()


class CuttableDisk:
    """An ext4 disk in a file on XFS with shared blocks. A copy of the file is the disk at one instant, without the data that the system
    had not written yet."""

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
        self.path = mounts.mount("disk", "-o", "loop", self._disk)
        self.path.chmod(0o755)

    @contextlib.contextmanager
    def cut(self):
        """A power cut: mounts a copy of the disk at this instant; its path."""
        self._cuts += 1
        copy = self._outer / f"cut-{self._cuts}.img"
        run("cp", "--reflink=always", self._disk, copy)
        path = self._mounts.mount(f"cut-{self._cuts}", "-o", "loop", copy)
        try:
            yield path
        finally:
            self._mounts.unmount(path)
            copy.unlink()


class FailingDisk:
    """An ext4 disk in a sparse file on a small tmpfs. While the tmpfs is full, the disk reports free space, but writes to blocks that
    are holes in the file fail: fsync fails once, the system drops the data, and the next fsync succeeds."""

    def __init__(self, mounts, mebibytes=320):
        self._outer = mounts.mount("outer", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=755", "tmpfs")
        self._image = self._outer / "disk.img"
        self._ballast = self._outer / "ballast"
        with open(self._image, "wb") as file:
            file.truncate(8 * mebibytes * MEBIBYTE)
        # mkfs writes all blocks of metadata, so that none of them is a hole. Otherwise the file system itself would fail first.
        run("env", "UNIX_IO_NOZEROOUT=1", "mkfs.ext4", "-q", "-m", "0", "-J", "size=64", "-O", "^metadata_csum,^uninit_bg",
            "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", self._image)
        # With `discard`, blocks of deleted files become holes again.
        self._options = ("-o", "loop,discard,errors=remount-ro", self._image)
        self.path = mounts.mount("disk", *self._options)
        self.path.chmod(0o755)
        self._write_by_pages()

    def _write_by_pages(self):
        """Limits writes to one page. Linux's loop device reports success if the tmpfs stores only the first pages of a larger write."""
        device = os.stat(self.path).st_dev
        queue = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/queue")
        (queue / "max_sectors_kb").write_text(str(os.sysconf("SC_PAGE_SIZE") // 1024))

    def fail(self):
        """The disk fails from now on. Freezing first writes the metadata that is only in the journal; otherwise the file system would fail."""
        run("fsfreeze", "--freeze", self.path)
        run("fsfreeze", "--unfreeze", self.path)
        self.go_on_failing()

    def go_on_failing(self):
        """Uses up the space that deleted files have freed."""
        fill(self._ballast)

    def heal(self):
        self._ballast.unlink(missing_ok=True)

    @property
    def is_read_only(self):
        """Whether the file system is read-only after an error and must be mounted again. Kernels report this in several ways, so this tries a write."""
        probe = self.path / "probe"
        try:
            probe.touch()
            probe.unlink()
        except OSError:
            return True
        return False

    def remount(self):
        """Mounts the disk again, without the data that was only in memory. False while a process uses the disk."""
        if subprocess.run(["umount", self.path], capture_output=True).returncode:
            return False
        # e2fsck replays the journal. Status 1 means that it made corrections.
        assert subprocess.run(["e2fsck", "-p", self._image], capture_output=True).returncode <= 1
        run("mount", *self._options, self.path)
        self._write_by_pages()
        return True


def fill(path):
    """Writes to a file until the disk is full."""
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
