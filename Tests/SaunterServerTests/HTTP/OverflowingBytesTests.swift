import Foundation
import Testing

@testable import SaunterServer

@Suite struct OverflowingBytesTests {
    private static func directory() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "saunter-\(UUID().uuidString)")
    }

    private static func pieces(_ count: Int, _ size: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
    }

    @Test(arguments: [(3, 10), (40, 100_000)])
    func `all comes in its order, whether it fits into memory or not`(_ count: Int, _ size: Int) async throws
    {
        let directory = Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let bytes = OverflowingBytes(directory: directory)
        let pieces = Self.pieces(count, size)
        for piece in pieces { try await bytes.append(piece) }
        await bytes.finish()

        var taken: [UInt8] = []
        while let piece = try await bytes.take() { taken += piece }
        #expect(taken == Array(pieces.joined()))
        // Nobody else finds what lies on disk.
        let left = try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        #expect(left ?? [] == [])
    }

    @Test func `what is made while others are taken comes behind them`() async throws {
        let directory = Self.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let bytes = OverflowingBytes(directory: directory)
        let pieces = Self.pieces(200, 20_000)
        let making = Task {
            for piece in pieces { try await bytes.append(piece) }
            await bytes.finish()
        }

        var taken: [UInt8] = []
        while let piece = try await bytes.take() { taken += piece }
        try await making.value
        #expect(taken == Array(pieces.joined()))
    }

    @Test func `a fault is told after all that came before it`() async throws {
        let bytes = OverflowingBytes(directory: Self.directory())
        try await bytes.append([1])
        await bytes.finish(Problem(.storageFull))

        #expect(try await bytes.take() == [1])
        await #expect(throws: Problem.self) { try await bytes.take() }
    }
}
