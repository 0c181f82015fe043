#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One wait for a socket, a wake-up, or the end of a time.
enum SocketPoll {
    enum Interest {
        case reading
        case readingOrWriting
    }

    /// What ended the wait. Neither: time is up.
    struct Seen: Hashable {
        var isReady = false
        var wasWoken = false
    }

    /// Waits at most `milliseconds`, for ever when nil. A hung-up or invalid socket counts as ready, since
    /// reading from it tells what is wrong.
    static func wait(socket: Int32?, for interest: Interest, pipe: WakePipe, milliseconds: Int32?) -> Seen {
        let events = interest == .reading ? POLLIN : POLLIN | POLLOUT
        var entries = [
            pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: Int16(events), revents: 0),
        ]
        let count = unsafe poll(&entries, 2, milliseconds ?? -1)
        guard count > 0 else { return Seen() }
        if entries[0].revents != 0 { pipe.drain() }
        return Seen(isReady: entries[1].revents != 0, wasWoken: entries[0].revents != 0)
    }
}
