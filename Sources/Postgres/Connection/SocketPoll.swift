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

    /// Waits at most `milliseconds`; nil means no limit. Returns whether the socket is ready. A closed or invalid
    /// socket counts as ready, because reading from it reports the error.
    static func wait(socket: Int32?, for interest: Interest, pipe: WakePipe, milliseconds: Int32?) -> Bool {
        let events = interest == .reading ? POLLIN : POLLIN | POLLOUT
        var entries = [
            pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: Int16(events), revents: 0),
        ]
        let count = unsafe poll(&entries, 2, milliseconds ?? -1)
        guard count > 0 else { return false }
        if entries[0].revents != 0 { pipe.drain() }
        return entries[1].revents != 0
    }
}
