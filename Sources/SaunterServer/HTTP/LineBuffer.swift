/// Lines on their way from whoever reads a body to whoever takes them. While they are being taken others gather, up to a bound; then the reader
/// waits, and so does the sender.
actor LineBuffer {
    private let bounds: LineBounds
    private var lines: [BodyLine] = []
    private var bytes = 0
    private var end: Result<Void, any Error>?
    private var isClosed = false
    private var taker: CheckedContinuation<Void, Never>?
    private var giver: CheckedContinuation<Void, Never>?

    init(_ bounds: LineBounds) {
        self.bounds = bounds
    }

    /// Waits while the buffer is full.
    /// - Returns: false when nobody takes lines any more.
    func put(_ new: [BodyLine]) async -> Bool {
        lines += new
        bytes += new.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        wake()
        while !isClosed, end == nil, lines.count >= bounds.waiting || bytes >= bounds.waitingBytes {
            await withCheckedContinuation { giver = $0 }
        }
        return !isClosed && end == nil
    }

    /// No further line comes. The first end counts.
    /// - Parameter fault: why, where it is not the end of the body.
    func finish(_ fault: (any Error)? = nil) {
        if end == nil { end = fault.map { .failure($0) } ?? .success(()) }
        wake()
        giver?.resume()
        giver = nil
    }

    /// The last line was put in, and nothing went wrong.
    var isAtEnd: Bool { if case .success = end { true } else { false } }

    /// Waits for the next line and gives all that are there, within the bounds of a batch; none at the end.
    /// - Throws: what `finish` was told, after the last line.
    func take(atMost most: Int = .max) async throws -> [BodyLine] {
        while lines.isEmpty {
            if let end {
                try end.get()
                return []
            }
            guard !isClosed else { throw CancellationError() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { taker = $0 }
            } onCancel: {
                Task { await close() }
            }
        }
        var count = 0
        var weight = 0
        while count < min(most, bounds.waiting, lines.count), count == 0 || weight < bounds.waitingBytes {
            weight += lines[count].bytes?.count ?? 0
            count += 1
        }
        let taken = Array(lines[..<count])
        lines.removeFirst(count)
        bytes -= weight
        giver?.resume()
        giver = nil
        return taken
    }

    /// Nobody takes lines any more.
    func close() {
        isClosed = true
        wake()
        giver?.resume()
        giver = nil
    }

    private func wake() {
        taker?.resume()
        taker = nil
    }
}
