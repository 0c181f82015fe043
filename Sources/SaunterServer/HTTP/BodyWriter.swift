import Hummingbird
import NIOCore

/// Takes the pieces of a streamed body. `write` waits while the client reads more slowly than pieces come.
package struct BodyWriter {
    private var sink: any ResponseBodyWriter

    init(_ sink: any ResponseBodyWriter) {
        self.sink = sink
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
        try await sink.write(buffer)
    }

    /// Ends the body. Only after this does the client know that it is whole.
    consuming func finish() async throws {
        try await sink.finish(nil)
    }
}
