import Compression
import Hummingbird
import NIOCore

/// Writes a streamed body piece by piece. `write` waits if the client reads more slowly than the handler writes.
package struct BodyWriter {
    /// After this many bytes the writer waits for the connection's event loop.
    private static let maximumUnprocessedBytes = 64 * 1024

    private var sink: any ResponseBodyWriter
    private let compressor: Compressor?
    private let waitForEventLoop: @Sendable () async throws -> Void
    private var unprocessedBytes = 0

    /// - Parameters:
    ///   - compressor: compresses the body. Each piece is flushed, so that the client can read it as soon as it
    ///     arrives.
    ///   - waitForEventLoop: waits until the connection has processed all writes so far. If the connection is full, the
    ///     next write waits.
    init(
        _ sink: any ResponseBodyWriter, compressor: Compressor? = nil,
        waitForEventLoop: @escaping @Sendable () async throws -> Void
    ) {
        self.sink = sink
        self.compressor = compressor
        self.waitForEventLoop = waitForEventLoop
    }

    /// Sends bytes. An empty piece has no effect.
    package mutating func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Sends a text in UTF-8.
    package mutating func write(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    /// Sends a buffer. An empty buffer has no effect.
    package mutating func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0 else { return }
        guard let compressor else { return try await send(buffer) }
        try await send(ByteBuffer(bytes: compressor.add(Array(buffer.readableBytesView), flush: .sync)))
    }

    private mutating func send(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0 else { return }
        try await sink.write(buffer)
        unprocessedBytes += buffer.readableBytes
        guard unprocessedBytes >= Self.maximumUnprocessedBytes else { return }
        unprocessedBytes = 0
        try await waitForEventLoop()
    }

    /// Ends the body. Without this call the client notices that the body is incomplete.
    consuming func finish() async throws {
        if let compressor { try await send(ByteBuffer(bytes: compressor.add([], flush: .finish))) }
        try await sink.finish(nil)
    }
}
