import Testing

@testable import Postgres

@Suite("ConnectionMachine") struct ConnectionMachineTests {
    /// Returns whether the block throws an error of the kind `misuse`.
    func isMisuse(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch let error as DatabaseError {
            if case .misuse = error.kind { return true }
            return false
        } catch {
            return false
        }
    }

    @Test func `the first level is a transaction, and each further level is a savepoint`() throws {
        var machine = ConnectionMachine()

        #expect(try machine.begin(by: nil) == .transaction)
        let outer = machine.began()
        #expect(try machine.begin(by: outer) == .savepoint("level_1"))
        let inner = machine.began()
        #expect(try machine.begin(by: inner) == .savepoint("level_2"))
    }

    @Test func `a level is committed if its block succeeds and rolled back if its block fails`() {
        var machine = ConnectionMachine()
        let outer = machine.began()
        let inner = machine.began()

        #expect(machine.end(inner, succeeded: true, status: .open).action == .release("level_1"))
        #expect(machine.end(inner, succeeded: false, status: .failed).action == .rollbackTo("level_1"))
        machine.ended(inner)
        #expect(machine.end(outer, succeeded: true, status: .open).action == .commit)
        #expect(machine.end(outer, succeeded: false, status: .open).action == .rollback)
    }

    @Test func `in an outer transaction, the first level is also a savepoint`() throws {
        var machine = ConnectionMachine(hasOuterTransaction: true)

        #expect(try machine.begin(by: nil) == .savepoint("level_0"))
        let level = machine.began()
        #expect(machine.end(level, succeeded: true, status: .open).action == .release("level_0"))
        #expect(machine.end(level, succeeded: false, status: .open).action == .rollbackTo("level_0"))
    }

    @Test func `only the innermost level may be used`() throws {
        var machine = ConnectionMachine()
        let outer = machine.began()
        let inner = machine.began()

        try machine.checkRequest(by: inner)
        #expect(isMisuse { try machine.checkRequest(by: outer) })
        #expect(isMisuse { try machine.checkRequest(by: nil) })
        machine.ended(inner)
        try machine.checkRequest(by: outer)
        #expect(isMisuse { try machine.checkRequest(by: inner) })
        machine.ended(outer)
        try machine.checkRequest(by: nil)
        #expect(isMisuse { try machine.checkRequest(by: outer) })
    }

    @Test func `during a COPY, every other request is rejected`() throws {
        var machine = ConnectionMachine()
        machine.copyBegan()

        #expect(isMisuse { try machine.checkRequest(by: nil) })
        #expect(!machine.isIdle)
        machine.copyEnded()
        try machine.checkRequest(by: nil)
        #expect(machine.isIdle)
    }

    @Test func `a transaction in which a statement failed is rolled back even if its block returns`() {
        var machine = ConnectionMachine()
        let level = machine.began()

        let decision = machine.end(level, succeeded: true, status: .failed)

        #expect(decision.action == .rollback)
        guard case .server(let fault) = decision.fault else {
            Issue.record("no server fault")
            return
        }
        #expect(fault.state == .inFailedSQLTransaction)
    }

    @Test func `a transaction that ends while a savepoint in it is open is rolled back`() {
        var machine = ConnectionMachine()
        let outer = machine.began()
        _ = machine.began()

        let decision = machine.end(outer, succeeded: true, status: .open)
        machine.ended(outer)

        #expect(decision.action == .rollback)
        #expect(decision.fault != nil)
        #expect(machine.isIdle)
    }

    @Test(arguments: [TransactionStatus.idle, .unknown])
    func `the connection is dropped if the server does not report an open transaction`(
        status: TransactionStatus
    ) {
        var machine = ConnectionMachine()
        let level = machine.began()

        let decision = machine.end(level, succeeded: true, status: status)

        #expect(decision.action == .drop)
        #expect(decision.fault != nil)
    }

    @Test func `the connection is dropped if a transaction ends during a COPY in it`() {
        var machine = ConnectionMachine()
        let level = machine.began()
        machine.copyBegan()

        #expect(machine.end(level, succeeded: true, status: .open).action == .drop)
    }

    @Test func `a closed connection rejects requests`() {
        var machine = ConnectionMachine()
        machine.closed()

        #expect(throws: DatabaseError.self) { try machine.checkRequest(by: nil) }
        #expect(!machine.isIdle)
    }
}
