import Foundation
import HTTPTypes
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// What a study team sees as a made-up participant.
@Suite struct RehearsalRouteTests {
    private static let study = "mindful-walking"
    private static let path = "/v1/studies/\(study)/draft/rehearsal?version=1.0.0"

    private static func body(_ changes: JSON = [:]) -> JSON {
        let now = JSON.instant(ServerFixture.now)
        let body: JSON = [
            "enrolled_at": now, "at": now, "time_zone": .string(ServerFixture.zone.id), "language": "en",
        ]
        return body.with(changes)
    }

    /// The overview without the ids of occasions, which are different for each participant.
    private static func anonymous(_ overview: JSON?) -> JSON {
        var object = overview?.object ?? [:]
        object["items"] = .array(
            (overview?["items"]?.array ?? []).map { $0.with(["occasion_id": .null]) })
        return .object(object)
    }

    @Test func `the overview is that of a participant who enrolled at the same moment`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let id = try #require(EnrolmentID(ada.enrolment))
            let arm = try #require(try await ada.server.store.findEnrolment(id)).arm
            let real = try await ada.get(ada.own("/overview")).json
            let rosa = try await ada.member(.editor, of: Self.study)

            let found = try await rosa.post(Self.path, Self.body(["arm": .string(arm)]))

            #expect(found.status == 200, "\(found.text)")
            #expect(found.json["overview"]?["items"]?.array?.isEmpty == false)
            #expect(Self.anonymous(found.json["overview"]) == Self.anonymous(real))
            #expect(found.json["draft"] == false && found.json["version"] == "1.0.0")
            #expect(found.json["day"] == 0 && found.json["days"] == 35)
            let other = try await rosa.post(
                Self.path, Self.body(["arm": .string(arm == "control" ? "experimental" : "control")]))
            #expect(other.json["arm"] != found.json["arm"])
        }
    }

    @Test func `an answer that was given is done, and a reminder of the day says when it is sent`()
        async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.member(.researcher, of: Self.study)
            let first = try await rosa.post(Self.path, Self.body()).json
            let open = try #require(Self.openItem(of: first))
            let answered: JSON = [
                ["occasion_id": open["occasion_id"] ?? .null, "at": .instant(ServerFixture.now)]
            ]

            let found = try await rosa.post(
                Self.path,
                Self.body([
                    "at": .instant(ServerFixture.now.adding(seconds: 60)), "answered": answered,
                ])
            ).json

            let item = Self.item(open["questionnaire"], of: found)
            #expect(item?["completed_at"] == .instant(ServerFixture.now))
            #expect(found["sheets"]?.array?.count == 1)
            let later = try await rosa.post(
                Self.path, Self.body(["at": .instant(ServerFixture.now.adding(seconds: 3 * 86_400))])
            ).json
            let message = try #require(later["messages"]?.array?.first)
            #expect(message["text"]?.string?.contains("N. N.") == true)
            let sentAt = try #require(message["at"]?.string.flatMap { Instant($0) })
            #expect(ServerFixture.zone.local(of: sentAt).date == LocalDate("2026-11-24"))
        }
    }

    /// The first questionnaire that is due for an occasion.
    private static func openItem(of rehearsal: JSON) -> JSON? {
        rehearsal["overview"]?["items"]?.array?.first {
            $0["disabled"] == false && $0["occasion_id"]?.string != nil
        }
    }

    private static func item(_ questionnaire: JSON?, of rehearsal: JSON) -> JSON? {
        rehearsal["overview"]?["items"]?.array?.first { $0["questionnaire"] == questionnaire }
    }

    @Test func `every member of the team may try it, and no other caller`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            for role in [Role.editor, .researcher, .coordinator] {
                let member = try await ada.member(role, of: Self.study)
                #expect(try await member.post(Self.path, Self.body()).status == 200)
            }
            let stranger = try await ada.member(.coordinator, of: "all-types")
            try await stranger.post(Self.path, Self.body()).expectProblem(404, "not-found")
            try await ada.post(Self.path, Self.body()).expectProblem(403, "not-permitted")
        }
    }

    @Test func `a blinded study is shown to those who see its arms`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let path = "/v1/studies/hidden-arms/draft/rehearsal?version=1.0.0"
            let seeing = try await caller.member(.researcher, of: "hidden-arms", seesArms: true)
            let blinded = try await caller.member(.researcher, of: "hidden-arms")

            #expect(try await seeing.post(path, Self.body()).status == 200)
            try await blinded.post(path, Self.body()).expectProblem(403, "arms-blinded")
            try await blinded.get(
                "/v1/studies/hidden-arms/draft/questionnaires/pocket_note?version=1.0.0"
            ).expectProblem(403, "arms-blinded")
        }
    }

    @Test func `every value that the study does not have is a fault`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.member(.researcher, of: Self.study)
            try await rosa.post(
                Self.path,
                Self.body([
                    "arm": "nowhere", "language": "fr", "at": "2031-11-21T17:30:00.000Z",
                    "answered": [["at": .instant(ServerFixture.now)]],
                ])
            ).expectProblem(422, "body-invalid", ["/arm", "/language", "/at", "/answered/0"])
            try await rosa.post("/v1/studies/\(Self.study)/draft/rehearsal?version=9.9.9", Self.body())
                .expectProblem(404, "not-found")
        }
    }

    @Test func `the draft is shown as it is, and its faults name file and line`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let code = "rehearsed-diary"
            let path = "/v1/studies/\(code)/draft/rehearsal"
            let rosa = try await caller.member(.editor, of: code)
            let account = try await rosa.account()
            try await rosa.post(path, Self.body()).expectProblem(404, "not-found")
            let store = caller.server.store
            var files = try SamplePack.diary(code, titled: "Diary of tomorrow")
            _ = try await store.saveDraft(
                files, of: code, basedOn: nil, expecting: nil, by: account, now: ServerFixture.now)

            let found = try await rosa.post(path, Self.body()).json
            #expect(found["title"] == "Diary of tomorrow" && found["draft"] == true)
            let items = found["overview"]?["items"]?.array ?? []
            #expect(items.map { $0["questionnaire"] } == ["pocket_note"])
            let note = try await rosa.get("/v1/studies/\(code)/draft/questionnaires/pocket_note?language=en")
            #expect(note.json["code"] == "pocket_note" && note.json["item"]?.array?.isEmpty == false)
            try await rosa.get("/v1/studies/\(code)/draft/questionnaires/unknown")
                .expectProblem(404, "not-found")

            files["studies/\(code)/study.yaml"]?.append("nonsense: 1\n")
            _ = try await store.saveDraft(
                files, of: code, basedOn: nil, expecting: 1, by: account, now: ServerFixture.now)
            let faulty = try await rosa.post(path, Self.body())
            faulty.expectProblem(422, "draft-invalid")
            #expect(faulty.text.contains("studies/\(code)/study.yaml:"))
        }
    }

    @Test func `answers have the faults and scores of a participant, and are not stored`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada async throws in
            let rosa = try await ada.member(.editor, of: Self.study)
            let path = "/v1/studies/\(Self.study)/draft/questionnaires/daily_evening/rehearsal?version=1.0.0"
            let stored = try await ada.put(
                ada.newRecord("answer-sheets"), SampleSheet.body("daily_evening", SampleSheet.daily))
            #expect(stored.status == 201, "\(stored.text)")

            let rehearsed = try await rosa.post(
                path, ["answers": SampleSheet.daily, "language": "en"])

            #expect(rehearsed.status == 200, "\(rehearsed.text)")
            #expect(rehearsed.json["scores"]?.array?.isEmpty == false)
            #expect(rehearsed.json["scores"] == stored.json["scores"])

            let wrong = SampleSheet.daily.with(["mood": 99, "energy": "much", "nonsense": 1])
            let refused = try await ada.put(
                ada.newRecord("answer-sheets"), SampleSheet.body("daily_evening", wrong))
            let faults = try await rosa.post(path, ["answers": wrong])
            faults.expectProblem(422, "answer-sheet-invalid", refused.pointers)
            #expect(faults.pointers.count >= 3)
            #expect(try await ada.get(ada.own("/answer-sheets")).json["items"]?.array?.count == 1)
        }
    }
}
