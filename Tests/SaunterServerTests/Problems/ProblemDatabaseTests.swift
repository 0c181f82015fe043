import Postgres
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ProblemDatabaseTests {
    private static func server(_ state: SQLState, constraint: String? = nil) -> DatabaseError {
        DatabaseError(
            .server(
                ServerFault(
                    state: state, constraint: constraint, message: "canary", detail: "Key (email)=(canary)")),
            statement: "insert_account")
    }

    @Test(arguments: [
        (
            DatabaseError(.connection(reason: "refused", commitUnknown: false)),
            ProblemType.databaseUnavailable
        ),
        (DatabaseError(.connection(reason: "broke", commitUnknown: true)), .databaseUnavailable),
        (DatabaseError(.durabilityUnknown), .databaseUnavailable),
        (DatabaseError(.closed), .databaseUnavailable),
        (DatabaseError(.timeout(.statement)), .databaseUnavailable),
        (DatabaseError(.timeout(.acquire)), .busy),
        (DatabaseError(.misuse("x")), .internalError), (server(.adminShutdown), .databaseUnavailable),
        (server(.cannotConnectNow), .databaseUnavailable), (server(.connectionFailure), .databaseUnavailable),
        (server(.tooManyConnections), .databaseUnavailable), (server(.diskFull), .storageFull),
        (server(.serializationFailure), .busy),
        (server(.uniqueViolation, constraint: "account_email_taken"), .emailTaken),
        (server(.uniqueViolation, constraint: "other"), .internalError),
        (server(.undefinedTable), .internalError),
        (server(.characterNotInRepertoire), .internalError),
    ])
    func `a database error becomes a problem type without details of the database`(
        _ error: DatabaseError, _ type: ProblemType
    ) {
        let problem = Problem(error as any Error)

        #expect(problem.type == type)
        #expect((problem.retryAfter != nil) == (type.status >= 503))
        #expect(!problem.document(requestID: "r", publicURL: "u").text.contains("canary"))
    }
}
