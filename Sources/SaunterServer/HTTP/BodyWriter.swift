import Hummingbird
import NIOCore

/// Takes the pieces of a streamed body. `write` waits while the client reads more slowly than pieces come.
package struct BodyWriter {
    /// As much is written before the connection is waited for.
    private static let most = 64 * 1024

    private var sink: any ResponseBodyWriter
    private let deflation: Deflation?
    private let takeIn: @Sendable () async throws -> Void
    private var ahead = 0

    /// - Parameters:
    ///   - deflation: compresses what is sent, so that every piece can be read as soon as it arrives.
    ///   - takeIn: waits until the connection has taken in what was written; a full one then lets nobody write.
    init(
        _ sink: any ResponseBodyWriter, deflation: Deflation? = nil,
        takeIn: @escaping @Sendable () async throws -> Void
    ) {
        self.sink = sink
        self.deflation = deflation
        self.takeIn = takeIn
    }

    /// Sends bytes; nothing for an empty piece.
    package mutating func write(_ bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Sends a text in UTF-8.
    package mutating func write(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    /// Sends a buffer; nothing for an empty one.
    package mutating func write(_ buffer: ByteBuffer) async throws {
        guard buffer.readableBytes > 0 else { return }
        guard let deflation else { return try await pass(buffer) }
        try await send(deflation.add(Array(buffer.readableBytesView), isLast: false, flushes: true))
    }

    private mutating func send(_ compressed: [UInt8]?) async throws {
        guard let compressed else { throw Problem(.internalError, "There is no memory to compress.") }
        if !compressed.isEmpty { try await pass(ByteBuffer(bytes: compressed)) }
    }

    private mutating func pass(_ buffer: ByteBuffer) async throws {
        try await sink.write(buffer)
        ahead += buffer.readableBytes
        guard ahead >= Self.most else { return }
        ahead = 0
        try await takeIn()
    }

    /// Ends the body. Only after this does the client know that it is whole.
    consuming func finish() async throws {
        if let deflation { try await send(deflation.add([], isLast: true)) }
        try await sink.finish(nil)
    }
}
