import Testing

@testable import Postgres

@Suite("Exchange") struct ExchangeTests {
    let start = ContinuousClock.now

    func makeExchange(limit: Duration? = nil, isInterruptible: Bool = true, stopsImmediately: Bool = false)
        -> Exchange
    {
        Exchange(
            number: 1, startedAt: start, limit: limit, isInterruptible: isInterruptible, commits: false,
            stopsImmediately: stopsImmediately)
    }

    func next(
        _ exchange: inout Exchange, after time: Duration, isInterrupted: Bool = false, isAborted: Bool = false
    ) -> Exchange.Action {
        exchange.nextAction(at: start + time, isInterrupted: isInterrupted, isAborted: isAborted)
    }

    @Test func `without a limit, the exchange waits for the server without a deadline`() {
        var exchange = makeExchange()

        #expect(next(&exchange, after: .seconds(1_000_000)) == .wait(until: nil))
    }

    @Test func `a server that exceeds its limit is asked to stop, and the connection is then abandoned`() {
        var exchange = makeExchange(limit: .seconds(10))

        #expect(next(&exchange, after: .seconds(12)) == .wait(until: start + .seconds(15)))
        #expect(next(&exchange, after: .seconds(15)) == .requestStop)
        #expect(next(&exchange, after: .seconds(16)) == .wait(until: start + .seconds(20)))
        #expect(next(&exchange, after: .seconds(20)) == .abandon)
    }

    @Test func `an interruption asks the server to stop only once`() {
        var exchange = makeExchange()

        #expect(next(&exchange, after: .seconds(1), isInterrupted: true) == .requestStop)
        #expect(next(&exchange, after: .seconds(2), isInterrupted: true) == .wait(until: start + .seconds(6)))
        #expect(next(&exchange, after: .seconds(6), isInterrupted: true) == .abandon)
    }

    @Test func `a commit is not interrupted`() {
        var exchange = makeExchange(isInterruptible: false)

        #expect(next(&exchange, after: .seconds(1), isInterrupted: true) == .wait(until: nil))
        #expect(exchange.stopReason == nil)
    }

    @Test func `an exchange that only cancels earlier work asks the server to stop immediately`() {
        var exchange = makeExchange(isInterruptible: false, stopsImmediately: true)

        #expect(next(&exchange, after: .zero) == .requestStop)
    }

    @Test func `an abort abandons the connection during any exchange`() {
        var exchange = makeExchange(isInterruptible: false)

        #expect(next(&exchange, after: .zero, isAborted: true) == .abandon)
    }

    @Test func `error 57014 after a stop request has the cause of that request`() {
        let canceled = ServerFault(state: .queryCanceled)
        var cancelled = makeExchange()
        _ = next(&cancelled, after: .zero, isInterrupted: true)
        var overdue = makeExchange(limit: .seconds(1))
        _ = next(&overdue, after: .seconds(6))

        #expect(cancelled.errorKind(for: canceled, at: start) == .cancelled)
        #expect(overdue.errorKind(for: canceled, at: start) == .timeout(.statement))
    }

    @Test
    func `error 57014 without a stop request is a timeout if the limit has passed, otherwise a server error`()
    {
        let canceled = ServerFault(state: .queryCanceled)
        let exchange = makeExchange(limit: .seconds(10))

        #expect(exchange.errorKind(for: canceled, at: start + .seconds(10)) == .timeout(.statement))
        #expect(exchange.errorKind(for: canceled, at: start + .seconds(9)) == .server(canceled))
    }

    @Test func `another server error keeps its meaning after a stop request`() {
        let fault = ServerFault(state: .uniqueViolation)
        var exchange = makeExchange()
        _ = next(&exchange, after: .zero, isInterrupted: true)

        #expect(exchange.errorKind(for: fault, at: start) == .server(fault))
    }
}
