import Foundation
import Testing

@testable import SaunterServer

@Suite struct SpillBufferTests {
    private static func directory() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "saunter-\(UUID().uuidString)")
    }

    private static func pieces(_ count: Int, _ size: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
    }

    @Test(arguments: [(3, 10), (40, 100_000)])
    func `all bytes are returned in their order, from memory or from the file`(_ count: Int, _ size: Int)
        async throws
    {
        let directory = Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let buffer = SpillBuffer(directory: directory)
        let pieces = Self.pieces(count, size)
        for piece in pieces { try await buffer.append(piece) }
        await buffer.finish()

        var taken: [UInt8] = []
        while let piece = try await buffer.next() { taken += piece }
        #expect(taken == Array(pieces.joined()))
        // The file has no name.
        let left = try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        #expect(left ?? [] == [])
    }

    @Test func `bytes that are added during reading follow the others`() async throws {
        let directory = Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let buffer = SpillBuffer(directory: directory)
        let pieces = Self.pieces(200, 20_000)
        let producing = Task {
            for piece in pieces { try await buffer.append(piece) }
            await buffer.finish()
        }

        var taken: [UInt8] = []
        while let piece = try await buffer.next() { taken += piece }
        try await producing.value
        #expect(taken == Array(pieces.joined()))
    }

    @Test func `an error is thrown after all bytes before it`() async throws {
        let buffer = SpillBuffer(directory: Self.directory())
        try await buffer.append([1])
        await buffer.finish(Problem(.storageFull))

        #expect(try await buffer.next() == [1])
        await #expect(throws: Problem.self) { try await buffer.next() }
    }
}
