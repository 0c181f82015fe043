import Testing

@testable import SaunterServer

@Suite struct LineBufferTests {
    private static var limits: NDJSONLimits {
        var limits = NDJSONLimits()
        limits.waiting = 3
        limits.waitingBytes = 10
        return limits
    }

    private static func line(_ number: Int, _ count: Int = 1) -> BodyLine {
        BodyLine(number: number, bytes: [UInt8](repeating: 0x61, count: count))
    }

    @Test func `the handler waits for the first line, and gets all lines that have arrived`() async throws {
        let buffer = LineBuffer(Self.limits)
        async let taken = buffer.take()
        #expect(await buffer.put([Self.line(1), Self.line(2)]))

        #expect(try await taken.map(\.number) == [1, 2])
        await buffer.finish()
        #expect(try await buffer.take().isEmpty)
        #expect(await buffer.isAtEnd)
    }

    @Test func `the reading task waits until the buffer has room again`() async throws {
        let buffer = LineBuffer(Self.limits)
        let putTask = Task {
            await buffer.put([Self.line(1, 4), Self.line(2, 4), Self.line(3, 4), Self.line(4)])
        }

        // A batch ends with the line that makes it full.
        #expect(try await buffer.take().map(\.number) == [1, 2, 3])
        #expect(await putTask.value)
        #expect(try await buffer.take().map(\.number) == [4])
    }

    @Test func `an error is reported after the last line`() async throws {
        let buffer = LineBuffer(Self.limits)
        _ = await buffer.put([Self.line(1)])
        await buffer.finish(Problem(.requestTimeout))
        await buffer.finish()

        #expect(try await buffer.take(atMost: 1).map(\.number) == [1])
        await #expect(throws: Problem.self) { try await buffer.take() }
        #expect(await !buffer.isAtEnd)
    }

    @Test func `neither side waits after the other side has ended`() async throws {
        let buffer = LineBuffer(Self.limits)
        let putTask = Task { await buffer.put((1...5).map { Self.line($0) }) }
        await buffer.close()

        #expect(await !putTask.value)
        let takeTask = Task { try await LineBuffer(Self.limits).take() }
        takeTask.cancel()
        await #expect(throws: CancellationError.self) { try await takeTask.value }
    }
}
