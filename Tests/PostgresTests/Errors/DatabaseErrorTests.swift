import Postgres
import Testing

@Suite("DatabaseError") struct DatabaseErrorTests {
    let fault = ServerFault(
        state: .uniqueViolation, constraint: "account_one_per_email", schema: "identity", table: "account",
        message: "duplicate key value violates unique constraint \"account_one_per_email\"",
        detail: "Key (email)=(ada@example.org) already exists.")

    @Test func `the description names the constraint but no value`() {
        let error = DatabaseError(.server(fault), statement: "insert_account")

        #expect(
            error.description == """
                server error 23505, constraint account_one_per_email, table identity.account: duplicate key value \
                violates unique constraint "account_one_per_email" (statement insert_account)
                """)
    }

    @Test func `the description omits a message that quotes values`() {
        let fault = ServerFault(
            state: .invalidTextRepresentation, position: 8,
            message: "invalid input syntax for type integer: \"suicidal\"")

        #expect(DatabaseError(.server(fault)).description == "server error 22P02, at character 8")
    }

    @Test func `an SQLState can be the pattern of a catch clause`() {
        func catchClause(for error: any Error) -> String {
            do {
                throw error
            } catch SQLState.uniqueViolation {
                return "unique"
            } catch SQLState.foreignKeyViolation {
                return "foreign key"
            } catch {
                return "other"
            }
        }

        #expect(catchClause(for: DatabaseError(.server(fault))) == "unique")
        #expect(catchClause(for: DatabaseError(.cancelled)) == "other")
        #expect(catchClause(for: CancellationError()) == "other")
    }

    @Test(arguments: [
        (DatabaseError.Kind.connection(reason: "", commitUnknown: false), true),
        (.connection(reason: "", commitUnknown: true), false),
        (.timeout(.acquire), true),
        (.timeout(.statement), false),
        (.durabilityUnknown, false),
        (.cancelled, false),
        (.closed, false),
        (.server(ServerFault(state: .serializationFailure)), true),
        (.server(ServerFault(state: .deadlockDetected)), true),
        (.server(ServerFault(state: .lockNotAvailable)), true),
        (.server(ServerFault(state: .tooManyConnections)), true),
        (.server(ServerFault(state: .diskFull)), false),
        (.server(ServerFault(state: .uniqueViolation)), false),
        (.server(ServerFault(state: .featureNotSupported, sourceFunction: "RevalidateCachedQuery")), true),
        (.server(ServerFault(state: .featureNotSupported)), false),
    ])
    func `only a temporary error of work that had no effect is transient`(
        kind: DatabaseError.Kind, isTransient: Bool
    ) {
        #expect(DatabaseError(kind).isTransient == isTransient)
    }
}
