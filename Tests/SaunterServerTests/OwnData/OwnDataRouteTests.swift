import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct OwnDataRouteTests {
    @Test func `the archive is a download that no cache keeps, and an entry of the audit`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(ada.own("/export"))

            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/zip")
            #expect(
                answer.headers[.contentDisposition]
                    == "attachment; filename=\"my-data_mindful-walking_2026-11-21.zip\"")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.bytes.starts(with: Array("PK".utf8)))
            let enrolment = try #require(EnrolmentID(ada.enrolment))
            let entries = try await ada.server.auditEntries(
                containing: ada.server.store.secrets.auditRef(of: enrolment))
            #expect(entries.contains { $0.hasPrefix("own_data_exported") })
        }
    }

    @Test func `another participant's archive does not exist`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let ben = try await ada.newParticipant()

            try await ben.get(ada.own("/export")).expectProblem(404, "not-found", [])
        }
    }

    @Test func `an account can request five archives per hour, for all its enrolments together`() async throws
    {
        try await ServerFixture.withParticipant { ada async throws in
            for _ in 0..<5 { #expect(try await ada.get(ada.own("/export")).status == 200) }

            let sixth = try await ada.get(ada.own("/export"))

            sixth.expectProblem(429, "too-many-requests", [])
            #expect(sixth.headers[.retryAfter] != nil)
        }
    }

    @Test func `a participant who has left can still download the data`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            for mode in ["stop", "exclude"] {
                #expect(try await ada.post(ada.own("/withdrawal"), ["mode": .string(mode)]).status == 200)
                #expect(try await ada.get(ada.own("/export")).status == 200)
            }
            #expect(try await ada.post(ada.own("/withdrawal"), ["mode": "erase"]).status == 204)
            try await ada.get(ada.own("/export")).expectProblem(404, "not-found", [])
        }
    }
}
