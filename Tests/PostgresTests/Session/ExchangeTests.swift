import Testing

@testable import Postgres

@Suite("Exchange") struct ExchangeTests {
    let start = ContinuousClock.now

    func exchange(limit: Duration? = nil, isInterruptible: Bool = true, stopsAtOnce: Bool = false) -> Exchange
    {
        Exchange(
            number: 1, startedAt: start, limit: limit, isInterruptible: isInterruptible, commits: false,
            stopsAtOnce: stopsAtOnce)
    }

    func next(
        _ exchange: inout Exchange, after time: Duration, isInterrupted: Bool = false, isAborted: Bool = false
    ) -> Exchange.Action {
        exchange.next(at: start + time, isInterrupted: isInterrupted, isAborted: isAborted)
    }

    @Test func `without a limit the server may take for ever`() {
        var exchange = exchange()

        #expect(next(&exchange, after: .seconds(1_000_000)) == .wait(until: nil))
    }

    @Test func `a server that overstays its own limit is asked to stop, then given up`() {
        var exchange = exchange(limit: .seconds(10))

        #expect(next(&exchange, after: .seconds(12)) == .wait(until: start + .seconds(15)))
        #expect(next(&exchange, after: .seconds(15)) == .requestStop)
        #expect(next(&exchange, after: .seconds(16)) == .wait(until: start + .seconds(20)))
        #expect(next(&exchange, after: .seconds(20)) == .abandon)
    }

    @Test func `an interruption asks the server to stop once`() {
        var exchange = exchange()

        #expect(next(&exchange, after: .seconds(1), isInterrupted: true) == .requestStop)
        #expect(next(&exchange, after: .seconds(2), isInterrupted: true) == .wait(until: start + .seconds(6)))
        #expect(next(&exchange, after: .seconds(6), isInterrupted: true) == .abandon)
    }

    @Test func `a commit is not interrupted`() {
        var exchange = exchange(isInterruptible: false)

        #expect(next(&exchange, after: .seconds(1), isInterrupted: true) == .wait(until: nil))
        #expect(exchange.stop == nil)
    }

    @Test func `what is only to be broken off is stopped at once`() {
        var exchange = exchange(isInterruptible: false, stopsAtOnce: true)

        #expect(next(&exchange, after: .zero) == .requestStop)
    }

    @Test func `an abort gives the connection up whatever is under way`() {
        var exchange = exchange(isInterruptible: false)

        #expect(next(&exchange, after: .zero, isAborted: true) == .abandon)
    }

    @Test func `57014 means what we asked for`() {
        let canceled = ServerFault(state: .queryCanceled)
        var cancelled = exchange()
        _ = next(&cancelled, after: .zero, isInterrupted: true)
        var overdue = exchange(limit: .seconds(1))
        _ = next(&overdue, after: .seconds(6))

        #expect(cancelled.meaning(of: canceled, at: start) == .cancelled)
        #expect(overdue.meaning(of: canceled, at: start) == .timeout(.statement))
    }

    @Test func `57014 that nobody asked for is a time-out when the time was up, else the work of another`() {
        let canceled = ServerFault(state: .queryCanceled)
        let exchange = exchange(limit: .seconds(10))

        #expect(exchange.meaning(of: canceled, at: start + .seconds(10)) == .timeout(.statement))
        #expect(exchange.meaning(of: canceled, at: start + .seconds(9)) == .server(canceled))
    }

    @Test func `another fault keeps its meaning though the server was asked to stop`() {
        let fault = ServerFault(state: .uniqueViolation)
        var exchange = exchange()
        _ = next(&exchange, after: .zero, isInterrupted: true)

        #expect(exchange.meaning(of: fault, at: start) == .server(fault))
    }
}
