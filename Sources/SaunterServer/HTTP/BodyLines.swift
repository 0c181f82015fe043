import HTTPTypes
import Hummingbird
import NIOCore
import SaunterCore

/// A body of lines (`application/x-ndjson`), read while it arrives: what it takes in memory does not grow with its length. A handler takes the first
/// line before it answers, the others while it does.
final class BodyLines: Sendable {
    let bounds: LineBounds
    /// A proxy passes it on.
    let isForwarded: Bool
    private let buffer: LineBuffer
    private let reading: Task<Void, Never>
    private let working: Admission
    private let asker: ThrottleKey

    /// Begins to read.
    /// - Parameters:
    ///   - arriving: counts what waits here in memory.
    ///   - working: counts what handlers work on; see `work`.
    ///   - asker: whose lines they are.
    init(
        _ incoming: IncomingRequest, _ headers: BodyHeaders, _ bounds: LineBounds, pace: BodyPace,
        arriving: Admission, working: Admission, asker: ThrottleKey
    ) throws {
        self.bounds = bounds
        isForwarded = [HTTPField.Name.forwardedFor, .forwarded].contains { incoming.headers[$0] != nil }
        self.working = working
        self.asker = asker
        let pass = try arriving.admit(bytes: 2 * bounds.waitingBytes, for: asker)
        let buffer = LineBuffer(bounds)
        self.buffer = buffer
        let body = incoming.request.body
        let (isGzip, announced) = (headers.isGzip, headers.length)
        reading = Task {
            do {
                try await Self.read(body, isGzip, announced, bounds, pace, pass, into: buffer)
                await buffer.finish()
            } catch let problem as Problem {
                await buffer.finish(problem)
            } catch {
                await buffer.finish(Problem(.bodyUnreadable, "The body does not arrive as HTTP says."))
            }
        }
    }

    deinit {
        reading.cancel()
    }

    /// All lines that are there, at least one; none at the end of the body.
    /// - Throws: why the rest of the body cannot be read.
    func take(atMost most: Int = .max) async throws -> [BodyLine] { try await buffer.take(atMost: most) }

    /// Does work on lines of so many bytes, if the server has room for it.
    func work<Value>(bytes: Int, _ work: () async throws -> Value) async throws -> Value {
        try await working.hold(bytes: bytes, for: asker, work)
    }

    /// The body came to its end, and nothing of it is left on the connection.
    var isReadThrough: Bool { get async { await buffer.isAtEnd } }

    /// Nothing more is wanted of the body.
    func close() async {
        await buffer.close()
        reading.cancel()
    }

    private static func read(
        _ body: RequestBody, _ isGzip: Bool, _ announced: Int?, _ bounds: LineBounds, _ pace: BodyPace,
        _ pass: Admission.Pass, into buffer: LineBuffer
    ) async throws {
        var splitter = LineSplitter(longest: bounds.line)
        let inflater = isGzip ? try Inflater() : nil
        var (arrived, inflated) = (0, 0)
        var waited = Duration.zero
        var iterator = body.makeAsyncIterator()
        while true {
            // Only the sender's time counts, not that in which its lines are being stored.
            let left = BodyPace(
                patience: pace.allowance(afterBytes: arrived) - waited,
                bytesPerExtraSecond: pace.bytesPerExtraSecond)
            let watch = BodyWatch.shared.begin(left, ArrivedBytes()) {
                Task { await buffer.finish(Problem(.requestTimeout, "The body did not arrive in time.")) }
            }
            let start = ContinuousClock.now
            let piece: ByteBuffer?
            do {
                defer { BodyWatch.shared.end(watch) }
                piece = try await iterator.next()
            }
            waited += start.duration(to: .now)
            guard let piece else { break }
            arrived += piece.readableBytes
            guard arrived <= bounds.body else { throw BodyReader.tooLarge(bounds.body) }
            var lines: [BodyLine] = []
            var gathered = 0
            // One piece may inflate to megabytes of lines: there is room for them, or no more are made.
            func gather(_ bytes: [UInt8]) throws(Problem) {
                lines += splitter.add(bytes)
                gathered += bytes.count
                try pass.cover(
                    bytes: gathered + lines.count * LineBounds.lineCost + splitter.restCount
                        + bounds.waitingBytes)
                guard splitter.number <= bounds.lines + 1 else {
                    throw Problem(
                        .bodyTooLarge, "At most \(bounds.lines) lines are taken: send the rest by itself.")
                }
            }
            if let inflater {
                try inflater.add(Array(piece.readableBytesView)) { bytes throws(Problem) in
                    inflated += bytes.count
                    guard inflated <= min(bounds.body, max(bounds.line, arrived * bounds.inflation)) else {
                        throw BodyReader.tooLarge(bounds.body)
                    }
                    try gather(bytes)
                }
            } else {
                try gather(Array(piece.readableBytesView))
            }
            guard await buffer.put(lines) else { return }
        }
        try Task.checkCancellation()
        if let announced, arrived != announced { throw Problem(.bodyUnreadable, "The body is cut short.") }
        guard inflater?.isWhole ?? true else { throw Problem(.bodyUnreadable, "The body is not whole gzip.") }
        if let last = splitter.end() { _ = await buffer.put([last]) }
    }
}
