/// Passes lines from the task that reads a body to its handler. While the handler works, further lines collect up to a
/// limit. Then the reading task waits, and so does the client.
actor LineBuffer {
    private let limits: NDJSONLimits
    private var lines: [BodyLine] = []
    private var bytes = 0
    private var end: Result<Void, any Error>?
    private var isClosed = false
    private var handler: CheckedContinuation<Void, Never>?
    private var reader: CheckedContinuation<Void, Never>?

    init(_ limits: NDJSONLimits) {
        self.limits = limits
    }

    /// Adds lines, and waits while the buffer is full.
    /// - Returns: false if the handler needs no further lines, or the reading has ended.
    func put(_ new: [BodyLine]) async -> Bool {
        lines += new
        bytes += new.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        wakeHandler()
        while !isClosed, end == nil, lines.count >= limits.waiting || bytes >= limits.waitingBytes {
            await withCheckedContinuation { reader = $0 }
        }
        return !isClosed && end == nil
    }

    /// Records that no further lines arrive. Only the first call has an effect.
    /// - Parameter fault: the reason; nil at the end of the body.
    func finish(_ fault: (any Error)? = nil) {
        if end == nil { end = fault.map { .failure($0) } ?? .success(()) }
        wakeHandler()
        wakeReader()
    }

    /// Whether the body was read to its end without an error.
    var isAtEnd: Bool { if case .success = end { true } else { false } }

    /// Waits for the next line. Returns all buffered lines, within the limits of a batch; an empty list at the
    /// end.
    /// - Throws: the error that `finish` got, after the last line.
    func take(atMost maximum: Int = .max) async throws -> [BodyLine] {
        while lines.isEmpty {
            if let end {
                try end.get()
                return []
            }
            guard !isClosed else { throw CancellationError() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { handler = $0 }
            } onCancel: {
                Task { await close() }
            }
        }
        var count = 0
        var size = 0
        while count < min(maximum, limits.waiting, lines.count), count == 0 || size < limits.waitingBytes {
            size += lines[count].bytes?.count ?? 0
            count += 1
        }
        let taken = Array(lines[..<count])
        lines.removeFirst(count)
        bytes -= size
        wakeReader()
        return taken
    }

    /// Records that the handler needs no further lines.
    func close() {
        isClosed = true
        wakeHandler()
        wakeReader()
    }

    private func wakeHandler() {
        handler?.resume()
        handler = nil
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }
}
