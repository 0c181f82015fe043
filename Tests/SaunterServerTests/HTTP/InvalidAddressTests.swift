import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Queries, paths and methods that the real routes reject.
@Suite struct InvalidAddressTests {
    @Test(
        arguments: [
            ("limit=0", ["/limit"]), ("limit=1001", ["/limit"]), ("limit=ten", ["/limit"]),
            ("limit=1e2x", ["/limit"]), ("limit=10&limit=10", ["/limit"]),
            ("limit=99999999999999999999", ["/limit"]), ("cursor=none", ["/cursor"]),
            ("cursor=", ["/cursor"]), ("colour=red", ["/colour"]),
            ("limit=-1&colour=red", ["/limit", "/colour"]), ("cursor=W10", ["/cursor"]),
        ] as [(String, Set<String>)])
    func `the problem of a query names the invalid parameters`(
        _ query: String, _ pointers: Set<String>
    ) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(ada.own("/walks?\(query)"))

            answer.expectProblem(400, "request-invalid", pointers)
        }
    }

    @Test(arguments: [
        "limit=%ff", "limit=%", "from=%c3%28", "cursor=%00", "from=yesterday", "to=2026-02-30T00:00:00Z",
        "from=2026-11-21", "from=2026-11-25T00:00:00Z&to=2026-11-22T00:00:00Z",
    ])
    func `a query with a value that cannot be read is rejected`(_ query: String) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(ada.own("/occasions?\(query)"))

            answer.expectProblem(400, "request-invalid")
        }
    }

    @Test(arguments: [
        "/", "/v1", "/v1/", "/v2/studies", "/v1/studies/", "/v1/studies/none", "/v1/studies/..%2f..",
        "/v1/studies/mindful-walking%00", "/v1/enrolments/1", "/v1/enrolments/../account",
        "/v1/enrolments/%00", "/v1//studies", "/V1/STUDIES", "/.env", "/v1/studies/'--",
    ])
    func `an unknown path is not found`(_ path: String) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(path)

            answer.expectProblem(404, "not-found")
        }
    }

    @Test(arguments: [
        "/answer-sheets/1", "/questionnaires/none", "/questionnaires/pss_10%2f", "/walks/{}",
    ])
    func `an unknown path below an enrolment is not found`(_ path: String) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(ada.own(path))

            answer.expectProblem(404, "not-found")
        }
    }

    @Test func `an unsupported method is rejected with the supported ones`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let studies = try await caller.send(.delete, "/v1/studies")
            let tokens = try await caller.send(.patch, "/v1/tokens")

            studies.expectProblem(405, "method-not-allowed")
            #expect(studies.headers[.allow]?.contains("GET") == true)
            tokens.expectProblem(405, "method-not-allowed")
        }
    }
}
