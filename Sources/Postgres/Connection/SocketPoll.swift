#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waits for a socket, a wake-up or a timeout.
enum SocketPoll {
    enum Interest {
        case reading
        case readingOrWriting
    }

    /// What ended the wait. If both are false, the time is up.
    struct WaitResult: Hashable {
        var isReady = false
        var wasWoken = false
    }

    /// Waits at most `milliseconds`; nil means no limit. A closed or invalid socket counts as ready, because reading
    /// from it reports the error.
    static func wait(socket: Int32?, for interest: Interest, pipe: WakePipe, milliseconds: Int32?)
        -> WaitResult
    {
        let events = interest == .reading ? POLLIN : POLLIN | POLLOUT
        var entries = [
            pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: Int16(events), revents: 0),
        ]
        let count = unsafe poll(&entries, 2, milliseconds ?? -1)
        guard count > 0 else { return WaitResult() }
        if entries[0].revents != 0 { pipe.drain() }
        return WaitResult(isReady: entries[1].revents != 0, wasWoken: entries[0].revents != 0)
    }
}
