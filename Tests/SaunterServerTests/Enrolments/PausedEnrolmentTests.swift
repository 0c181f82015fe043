import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct PausedEnrolmentTests {
    @Test func `a paused enrolment is paused in every response that contains it`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let changed = try await ada.send(.patch, ada.own(""), ["paused": true])

            let listed = try await ada.get("/v1/enrolments").json["items"]?.array ?? []
            let read = try await ada.get(ada.own(""))
            let joinedAgain = try await ada.post(
                "/v1/studies/mindful-walking/enrolments",
                [
                    "consent": ["version": "1.0.0", "accepted": true],
                    "time_zone": .string(ServerFixture.zone.id),
                ])

            #expect(joinedAgain.status == 200)
            let enrolments = [changed.json] + listed + [read.json, joinedAgain.json]
            #expect(enrolments.map { $0["paused"] } == [true, true, true, true])
            let since = JSON.instant(ServerFixture.now)
            #expect(enrolments.map { $0["paused_since"] } == [since, since, since, since])
        }
    }
}
