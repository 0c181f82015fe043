import Testing

@testable import SaunterServer

@Suite struct LineBufferTests {
    private static var bounds: LineBounds {
        var bounds = LineBounds()
        bounds.waiting = 3
        bounds.waitingBytes = 10
        return bounds
    }

    private static func line(_ number: Int, _ count: Int = 1) -> BodyLine {
        BodyLine(number: number, bytes: [UInt8](repeating: 0x61, count: count))
    }

    @Test func `whoever takes waits for the first line, and gets all that are there`() async throws {
        let buffer = LineBuffer(Self.bounds)
        async let taken = buffer.take()
        #expect(await buffer.put([Self.line(1), Self.line(2)]))

        #expect(try await taken.map(\.number) == [1, 2])
        await buffer.finish()
        #expect(try await buffer.take().isEmpty)
        #expect(await buffer.isAtEnd)
    }

    @Test func `whoever puts waits until there is room again`() async throws {
        let buffer = LineBuffer(Self.bounds)
        let putting = Task {
            await buffer.put([Self.line(1, 4), Self.line(2, 4), Self.line(3, 4), Self.line(4)])
        }

        // A batch ends with the line by which it is full.
        #expect(try await buffer.take().map(\.number) == [1, 2, 3])
        #expect(await putting.value)
        #expect(try await buffer.take().map(\.number) == [4])
    }

    @Test func `what went wrong is told after the last line`() async throws {
        let buffer = LineBuffer(Self.bounds)
        _ = await buffer.put([Self.line(1)])
        await buffer.finish(Problem(.requestTimeout))
        await buffer.finish()

        #expect(try await buffer.take(atMost: 1).map(\.number) == [1])
        await #expect(throws: Problem.self) { try await buffer.take() }
        #expect(await !buffer.isAtEnd)
    }

    @Test func `nobody waits for somebody who is gone`() async throws {
        let buffer = LineBuffer(Self.bounds)
        let putting = Task { await buffer.put((1...5).map { Self.line($0) }) }
        await buffer.close()

        #expect(await !putting.value)
        let taking = Task { try await LineBuffer(Self.bounds).take() }
        taking.cancel()
        await #expect(throws: CancellationError.self) { try await taking.value }
    }
}
