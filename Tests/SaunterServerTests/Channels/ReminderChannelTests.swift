import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ReminderChannelTests {
    private static func channels(_ answer: Answer) -> JSON? { answer.json["reminder"]?["channels"] }

    @Test func `a participant chooses the channels and their order`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let before = try await ada.get(ada.own(""))
            let after = try await ada.send(
                .patch, ada.own(""), ["reminder": ["channels": ["push", "mail"]]])

            #expect(Self.channels(before) == ["mail"])
            #expect(after.status == 200)
            #expect(Self.channels(after) == ["push", "mail"])
        }
    }

    @Test(arguments: [[], ["push", "push"], ["pigeon"], ["push", "mail", "webhook", "mail"]] as [JSON])
    func `a choice without channels, with duplicates or with an unknown channel is rejected`(
        _ channels: JSON
    ) async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.send(.patch, ada.own(""), ["reminder": ["channels": channels]])

            answer.expectProblem(422, "body-invalid")
            #expect(Self.channels(try await ada.get(ada.own(""))) == ["mail"])
        }
    }
}
