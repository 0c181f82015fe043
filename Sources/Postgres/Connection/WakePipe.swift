#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A pipe that ends a `poll` of another thread.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    /// Returns nil if the process has no file descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current or the next `poll`. Ignores a failed write: if the pipe is full, it is readable, and `poll`
    /// ends anyway.
    func wake() {
        var byte: UInt8 = 0
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Reads everything, so that the next `poll` waits again.
    func drain() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while unsafe read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}
