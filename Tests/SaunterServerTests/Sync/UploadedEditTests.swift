import SaunterCore
import Testing

@testable import SaunterServer

/// Corrections and deletions in batch uploads.
@Suite struct UploadedEditTests {
    private static func note(_ mood: Int) -> JSON {
        SampleSheet.body("pocket_note", ["mood": .int(mood)]).without("client_now")
    }

    private static func correction(of sheet: String, _ answers: JSON) -> JSON {
        ["sheet_id": .string(sheet), "corrected_at": .instant(ServerFixture.now), "answers": answers]
    }

    private static func deletion(of sheet: String, at moment: Instant = ServerFixture.now) -> JSON {
        ["sheet_id": .string(sheet), "deleted_at": .instant(moment)]
    }

    private static func mood(of sheet: String, _ caller: APICaller) async throws -> Int? {
        try await caller.get(caller.own("/answer-sheets/\(sheet)")).json["answers"]?["mood"]?.int
    }

    @Test(
        arguments: [
            [:],
            ["walk_id": .string(SampleBatch.newID()), "sheet_id": .string(SampleBatch.newID())],
            ["walk_id": 7],
        ] as [JSON])
    func `a deletion names exactly one record`(_ members: JSON) async throws {
        let deletion = members.with(["deleted_at": .instant(ServerFixture.now)])

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            let answer = try await ada.sync([SampleBatch.item("deletion", deletion)])

            #expect(answer.results == ["rejected"])
        }
    }

    @Test(arguments: [["mood": 99], [:]] as [JSON])
    func `an invalid correction is rejected and changes nothing, also when it is repeated`(
        _ answers: JSON
    ) async throws {
        let sheet = SampleBatch.newID()
        let wrong = SampleBatch.item("correction", Self.correction(of: sheet, answers))

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            let stored = try await ada.sync([SampleBatch.item("answer_sheet", Self.note(3), id: sheet)])
            #expect(stored.results == ["accepted"])

            var problems: Set<String> = []
            for _ in 0..<3 {
                let answer = try await ada.sync([wrong])
                #expect(answer.results == ["rejected"])
                let problem = try #require(answer.items.first?["problem"])
                #expect(problem["errors"]?.array?.isEmpty == false)
                problems.insert(problem.without("instance").canonicalText)
            }

            #expect(problems.count == 1)
            #expect(try await Self.mood(of: sheet, ada) == 3)
        }
    }

    @Test func `a deletion by a clock that is two days ahead is accepted once`() async throws {
        let (sheet, id) = (SampleBatch.newID(), SampleBatch.newID())
        let later = ServerFixture.now.adding(seconds: 2 * 86_400)
        let deletion = SampleBatch.item("deletion", Self.deletion(of: sheet, at: later), id: id)
        let other = SampleBatch.item("deletion", Self.deletion(of: SampleBatch.newID()), id: id)

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            _ = try await ada.sync([SampleBatch.item("answer_sheet", Self.note(3), id: sheet)])

            #expect(try await ada.sync([deletion]).results == ["accepted"])
            #expect(try await Self.mood(of: sheet, ada) == nil)
            #expect(try await ada.sync([deletion, other]).results == ["replayed", "rejected"])
        }
    }

    @Test func `a deletion that the questionnaire does not allow is rejected`() async throws {
        let sheet = SampleBatch.newID()
        let body = SampleSheet.body("who_5", SampleSheet.who5).without("client_now")

        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.sync([SampleBatch.item("answer_sheet", body, id: sheet)])
            let answer = try await ada.sync([SampleBatch.item("deletion", Self.deletion(of: sheet))])

            #expect(answer.results == ["rejected"])
            let type = answer.items.first?["problem"]?["type"]?.string
            #expect(type?.hasSuffix("/correction-closed") == true)
            #expect(try await ada.storedSheets() == [sheet])
        }
    }

    @Test func `edits of another participant's sheet do not find it`() async throws {
        let sheet = SampleBatch.newID()

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            _ = try await ada.sync([SampleBatch.item("answer_sheet", Self.note(3), id: sheet)])
            let ben = try await ada.newParticipant(in: "pocket-diary")

            let answer = try await ben.sync([
                SampleBatch.item("deletion", Self.deletion(of: sheet)),
                SampleBatch.item("correction", Self.correction(of: sheet, ["mood": 1])),
            ])

            #expect(answer.items.map { $0["receipt"]?["state"]?.string } == ["waiting", "waiting"])
            #expect(try await Self.mood(of: sheet, ada) == 3)
        }
    }
}
