import Compression
import HTTPTypes
import Hummingbird
import NIOCore
import SaunterCore

/// Limits of a body of lines (`application/x-ndjson`), which the server processes while it arrives.
package struct NDJSONLimits: Sendable {
    /// The maximum number of bytes of the complete body, before and after decompression: 256 MiB.
    var body = 256 * 1024 * 1024
    /// The maximum number of bytes of one line.
    var line = BodyRule.walkLimit
    /// The maximum number of lines of one body.
    var lines = 100_000
    /// The maximum number of lines that wait in memory for the handler.
    var waiting = 500
    /// The maximum number of bytes of the lines that wait in memory. A longer line waits alone.
    var waitingBytes = 256 * 1024
    /// The maximum ratio of decompressed to compressed bytes. It does not apply to the first `line` bytes.
    var inflation = 200
    /// The number of bytes of memory that a line uses in addition to its content.
    static let lineCost = 96

    /// Creates the default limits.
    package init() {}
}

/// A body of lines (`application/x-ndjson`), which the handler processes while it arrives. Its memory does not grow
/// with the length of the body. The handler takes the first line before it starts its reply, and the other lines while
/// it sends the reply.
final class NDJSONBody: Sendable {
    let limits: NDJSONLimits
    /// Whether the request came through a proxy.
    let isForwarded: Bool
    private let buffer: LineBuffer
    private let reading: Task<Void, Never>
    private let requestShedder: LoadShedder
    private let client: ThrottleKey

    /// Starts to read.
    /// - Parameters:
    ///   - bodyShedder: counts the bytes that wait here in memory.
    ///   - requestShedder: counts the lines that the handler works on; see `withPermit`.
    ///   - client: the account or address that sent the body.
    init(
        _ incoming: IncomingRequest, _ headers: BodyHeaders, _ limits: NDJSONLimits, timeout: BodyTimeout,
        bodyShedder: LoadShedder, requestShedder: LoadShedder, client: ThrottleKey
    ) throws {
        self.limits = limits
        isForwarded = [HTTPField.Name.forwardedFor, .forwarded].contains { incoming.headers[$0] != nil }
        self.requestShedder = requestShedder
        self.client = client
        let permit = try bodyShedder.acquire(bytes: 2 * limits.waitingBytes, for: client)
        let buffer = LineBuffer(limits)
        self.buffer = buffer
        let body = incoming.request.body
        let (isGzip, announced) = (headers.isGzip, headers.length)
        reading = Task {
            do {
                try await Self.read(body, isGzip, announced, limits, timeout, permit, into: buffer)
                await buffer.finish()
            } catch {
                await buffer.finish(Self.problem(error, limits.body))
            }
        }
    }

    deinit {
        reading.cancel()
    }

    /// Waits for the next line. Returns all lines that have arrived, or an empty list at the end of the body.
    /// - Throws: the reason why the rest of the body cannot be read.
    func take(atMost count: Int = .max) async throws -> [BodyLine] { try await buffer.take(atMost: count) }

    /// Runs `work` on lines of this many bytes while holding a permit.
    /// - Throws: `busy` above the server's limits, and the errors of `work`.
    func withPermit<Value>(bytes: Int, _ work: () async throws -> Value) async throws -> Value {
        try await requestShedder.withPermit(bytes: bytes, for: client, work)
    }

    /// Whether the body was read to its end without an error. The connection can then be used again.
    var isFullyRead: Bool { get async { await buffer.isAtEnd } }

    /// Stops reading. The handler needs no further lines.
    func close() async {
        await buffer.close()
        reading.cancel()
    }

    private static func problem(_ error: any Error, _ limit: Int) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let fault as CompressionFault: Problem(fault, limit: limit)
        default: Problem(.bodyUnreadable, "The body is not correct HTTP, or the connection was closed.")
        }
    }

    private static func read(
        _ body: RequestBody, _ isGzip: Bool, _ announced: Int?, _ limits: NDJSONLimits,
        _ timeout: BodyTimeout,
        _ permit: LoadShedder.Permit, into buffer: LineBuffer
    ) async throws {
        var splitter = LineSplitter(maximumBytes: limits.line)
        let decompressor = isGzip ? try Decompressor(.gzip) : nil
        var (arrived, decompressed) = (0, 0)
        var waited = Duration.zero
        var iterator = body.makeAsyncIterator()
        while true {
            // Only the time of the sender counts, not the time in which the handler stores lines.
            let remaining = BodyTimeout(
                base: timeout.duration(afterBytes: arrived) - waited,
                bytesPerExtraSecond: timeout.bytesPerExtraSecond)
            let deadline = BodyDeadlines.shared.add(remaining, BodyProgress()) {
                Task { await buffer.finish(BodyReader.tooSlow) }
            }
            let start = ContinuousClock.now
            let piece: ByteBuffer?
            do {
                defer { BodyDeadlines.shared.remove(deadline) }
                piece = try await iterator.next()
            }
            waited += start.duration(to: .now)
            guard let piece else { break }
            arrived += piece.readableBytes
            guard arrived <= limits.body else { throw BodyReader.tooLarge(limits.body) }
            var lines: [BodyLine] = []
            var added = 0
            // One compressed piece may become megabytes of lines. The permit grows before more of it is decompressed.
            func add(_ bytes: [UInt8]) throws(Problem) {
                lines += splitter.add(bytes)
                added += bytes.count
                try permit.grow(
                    toBytes: added + lines.count * NDJSONLimits.lineCost + splitter.restCount
                        + limits.waitingBytes)
                guard splitter.number <= limits.lines + 1 else {
                    throw Problem(
                        .bodyTooLarge,
                        "The body may have at most \(limits.lines) lines. Send the rest in another request.")
                }
            }
            if let decompressor {
                try decompressor.add(Array(piece.readableBytesView)) { bytes in
                    decompressed += bytes.count
                    guard decompressed <= min(limits.body, max(limits.line, arrived * limits.inflation))
                    else {
                        throw BodyReader.tooLarge(limits.body)
                    }
                    try add(bytes)
                }
            } else {
                try add(Array(piece.readableBytesView))
            }
            guard await buffer.put(lines) else { return }
        }
        try Task.checkCancellation()
        if let announced, arrived != announced {
            throw Problem(.bodyUnreadable, "The body is shorter than its Content-Length.")
        }
        guard decompressor?.isAtEnd ?? true else { throw CompressionFault.damaged }
        if let last = splitter.end() { _ = await buffer.put([last]) }
    }
}

extension Problem {
    /// The error for a request body that cannot be decompressed.
    /// - Parameter limit: the maximum number of decompressed bytes.
    init(_ fault: CompressionFault, limit: Int) {
        switch fault {
        case .outOfMemory:
            self.init(.busy, "The server has no memory to decompress the body now.", retryAfter: 1)
        case .damaged:
            self.init(.bodyUnreadable, "The body is not complete gzip, or other bytes follow it.")
        case .tooLarge: self = BodyReader.tooLarge(limit)
        }
    }
}
