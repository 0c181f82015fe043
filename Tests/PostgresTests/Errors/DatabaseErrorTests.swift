import Postgres
import Testing

@Suite("DatabaseError") struct DatabaseErrorTests {
    let fault = ServerFault(
        state: .uniqueViolation, constraint: "account_one_per_email", schema: "identity", table: "account",
        message: "duplicate key value violates unique constraint \"account_one_per_email\"",
        detail: "Key (email)=(ada@example.org) already exists.")

    @Test func `a description names the constraint but never a value`() {
        let error = DatabaseError(.server(fault), statement: "insert_account")

        #expect(
            error.description == """
                server error 23505, constraint account_one_per_email, table identity.account: duplicate key value \
                violates unique constraint "account_one_per_email" (statement insert_account)
                """)
    }

    @Test func `the message is left out where it quotes values`() {
        let fault = ServerFault(
            state: .invalidTextRepresentation, position: 8,
            message: "invalid input syntax for type integer: \"suicidal\"")

        #expect(DatabaseError(.server(fault)).description == "server error 22P02, at character 8")
    }

    @Test func `a state is a pattern of catch clauses`() {
        func caught(_ error: any Error) -> String {
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

        #expect(caught(DatabaseError(.server(fault))) == "unique")
        #expect(caught(DatabaseError(.cancelled)) == "other")
        #expect(caught(CancellationError()) == "other")
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
    func `only what passes and left no trace is transient`(kind: DatabaseError.Kind, isTransient: Bool) {
        #expect(DatabaseError(kind).isTransient == isTransient)
    }
}
