import Testing

@testable import Postgres

@Suite("ConnectionMachine") struct ConnectionMachineTests {
    func isMisuse(_ work: () throws -> Void) -> Bool {
        do {
            try work()
            return false
        } catch let error as DatabaseError {
            if case .misuse = error.kind { return true }
            return false
        } catch {
            return false
        }
    }

    @Test func `the first level is a transaction and each further one a savepoint`() throws {
        var machine = ConnectionMachine()

        #expect(try machine.begin(by: nil) == .transaction)
        let outer = machine.began()
        #expect(try machine.begin(by: outer) == .savepoint("level_1"))
        let inner = machine.began()
        #expect(try machine.begin(by: inner) == .savepoint("level_2"))
    }

    @Test func `levels end as their blocks do`() {
        var machine = ConnectionMachine()
        let outer = machine.began()
        let inner = machine.began()

        #expect(machine.end(inner, succeeded: true, status: .open).end == .release("level_1"))
        #expect(machine.end(inner, succeeded: false, status: .failed).end == .rollbackTo("level_1"))
        machine.ended(inner)
        #expect(machine.end(outer, succeeded: true, status: .open).end == .commit)
        #expect(machine.end(outer, succeeded: false, status: .open).end == .rollback)
    }

    @Test func `in an enclosing transaction even the first level is a savepoint`() throws {
        var machine = ConnectionMachine(isEnclosed: true)

        #expect(try machine.begin(by: nil) == .savepoint("level_0"))
        let level = machine.began()
        #expect(machine.end(level, succeeded: true, status: .open).end == .release("level_0"))
        #expect(machine.end(level, succeeded: false, status: .open).end == .rollbackTo("level_0"))
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

    @Test func `nothing else is sent during a COPY`() throws {
        var machine = ConnectionMachine()
        machine.copyBegan()

        #expect(isMisuse { try machine.checkRequest(by: nil) })
        #expect(!machine.isAtRest)
        machine.copyEnded()
        try machine.checkRequest(by: nil)
        #expect(machine.isAtRest)
    }

    @Test func `a block that passed over a failed statement has not succeeded`() {
        var machine = ConnectionMachine()
        let level = machine.began()

        let ending = machine.end(level, succeeded: true, status: .failed)

        #expect(ending.end == .rollback)
        guard case .server(let fault) = ending.fault else {
            Issue.record("no server fault")
            return
        }
        #expect(fault.state == .inFailedSQLTransaction)
    }

    @Test func `a transaction that ends before a savepoint in it is undone`() {
        var machine = ConnectionMachine()
        let outer = machine.began()
        _ = machine.began()

        let ending = machine.end(outer, succeeded: true, status: .open)
        machine.ended(outer)

        #expect(ending.end == .rollback)
        #expect(ending.fault != nil)
        #expect(machine.isAtRest)
    }

    @Test(arguments: [TransactionStatus.idle, .unknown])
    func `a transaction that the server does not know of drops the connection`(status: TransactionStatus) {
        var machine = ConnectionMachine()
        let level = machine.began()

        let ending = machine.end(level, succeeded: true, status: status)

        #expect(ending.end == .drop)
        #expect(ending.fault != nil)
    }

    @Test func `a transaction cannot end while a COPY in it is under way`() {
        var machine = ConnectionMachine()
        let level = machine.began()
        machine.copyBegan()

        #expect(machine.end(level, succeeded: true, status: .open).end == .drop)
    }

    @Test func `a closed connection says so`() {
        var machine = ConnectionMachine()
        machine.closed()

        #expect(throws: DatabaseError.self) { try machine.checkRequest(by: nil) }
        #expect(!machine.isAtRest)
    }
}
