import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ProblemTests {
    /// Clients branch on these slugs. A line may be added, but never changed.
    private static let published: [String: Int] = [
        "body-unreadable": 400, "request-invalid": 400, "token-invalid": 401, "credentials-invalid": 401,
        "not-permitted": 403, "password-required": 403, "arms-blinded": 403, "entitlement-required": 403,
        "not-found": 404, "method-not-allowed": 405,
        "request-timeout": 408,
        "email-taken": 409,
        "id-reused": 409, "occasion-not-open": 409, "consent-outdated": 409, "enrolment-withdrawn": 409,
        "correction-closed": 409, "event-fixed": 409, "study-not-blinded": 409, "last-coordinator": 409,
        "already-registered": 409, "already-enrolled": 409,
        "draft-exists": 409, "study-taken": 409, "purchase-taken": 409, "draft-invalid": 422,
        "not-publishable": 409,
        "edition-outdated": 409, "version-not-live": 409,
        "precondition-failed": 412,
        "body-too-large": 413,
        "media-type-unsupported": 415, "range-not-satisfiable": 416,
        "body-invalid": 422, "answer-sheet-invalid": 422, "walk-invalid": 422, "calibration-invalid": 422,
        "observation-invalid": 422, "recording-invalid": 422, "questionnaire-invalid": 422,
        "enrolment-code-invalid": 422, "purchase-invalid": 422,
        "precondition-required": 428, "too-many-requests": 429, "headers-too-large": 431, "internal": 500,
        "database-unavailable": 503, "busy": 503, "storage-full": 507,
    ]

    @Test func `the slugs and statuses are exactly the published ones`() {
        let catalogue = Dictionary(uniqueKeysWithValues: ProblemType.allCases.map { ($0.slug, $0.status) })

        #expect(catalogue == Self.published)
    }

    @Test(arguments: ProblemType.allCases)
    func `the document of each type matches the published schema`(_ type: ProblemType) {
        let problem = Problem(
            type, "This case.", faults: [Fault(pointer: "/a", code: "required", detail: "Needed.")])

        let document = problem.document(requestID: "0001", publicURL: "https://s.example")

        #expect(Problem.schema.faults(in: document) == [])
        #expect(document["type"]?.string == "https://s.example/problems/\(type.slug)")
        #expect(StringFormat.code.accepts(type.slug))
        #expect(!type.meaning.isEmpty && !type.title.isEmpty)
    }

    @Test func `temporary problems ask for a retry, others do not`() {
        for type in ProblemType.allCases where type.status >= 500 || type.status == 429 {
            #expect(type.action == .retryLater)
        }
        #expect(ProblemType.tokenInvalid.action == .signIn)
        #expect(ProblemType.notFound.action == .neverRetry)
    }

    @Test func `the members have a fixed order`() {
        let problem = Problem(.notFound, "Nothing.")

        #expect(
            problem.document(requestID: "r", publicURL: "https://s.example").text
                == #"{"type":"https://s.example/problems/not-found","title":"The resource does not exist","status":404,"detail":"Nothing.","instance":"r","action":"never_retry"}"#
        )
    }
}
