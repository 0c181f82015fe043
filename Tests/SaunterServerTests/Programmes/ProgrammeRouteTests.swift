import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterServer

/// Programmes with their practices, and the participant's progress.
@Suite struct ProgrammeRouteTests {
    private typealias Entry = SampleEntry

    private static func morning(
        _ thought: String = "My words", version: String = "1.0.0", minutes: Int = 0
    ) -> JSON {
        Entry.body("control_morning", ["thought": .string(thought), "where": ["home"]], minutes: minutes)
            .with(["version": .string(version)])
    }

    /// `programme: done of modules` of the list.
    private static func progress(_ ada: APICaller) async throws -> [String] {
        let list = try await ada.get(ada.own("/programmes"))
        return (list.json["items"]?.array ?? []).map {
            "\($0["programme"]?.string ?? ""): \($0["done"]?.int ?? -1) of \($0["modules"]?.int ?? -1)"
        }
    }

    @Test func `programmes are listed in order, with their words, pictures and practices`() async throws {
        try await JourneysPack.withParticipant { _, ada async throws in
            let list = try await ada.get(ada.own("/programmes"))
            let control = try await ada.get(ada.own("/programmes/control"))

            let first = try #require(list.json["items"]?.array?.first)
            #expect(try await Self.progress(ada) == ["control: 0 of 2", "gratitude: 0 of 2"])
            #expect(list.json["edition"] == 1)
            #expect(
                first.without("picture") == [
                    "programme": "control", "title": "What is in our control",
                    "subtitle": "A journey of two practices", "authors": ["Epictetus", "Marcus Aurelius"],
                    "modules": 2, "done": 0, "last_at": nil, "locked": false, "recommended": true,
                ])
            #expect(
                control.json["introduction"] == "Some things are **ours**.\n\nOthers are not.")
            #expect(
                control.json["modules"] == [
                    [
                        "questionnaire": "control_morning", "version": "1.0.0", "topic": "Morning",
                        "minutes": 4, "exercises": 4, "stories": 1, "inputs": 3, "done": false, "times": 0,
                        "last_at": nil, "rating": nil, "locked": false,
                    ],
                    [
                        "questionnaire": "control_news", "version": "1.0.0", "topic": "News", "minutes": 2,
                        "exercises": 2, "stories": 2, "inputs": 0, "done": false, "times": 0,
                        "last_at": nil, "rating": nil, "locked": false,
                    ],
                ])
            let picture = try await ada.get(control.json["picture"]?["url"]?.string ?? "")
            #expect(control.json["picture"]?["media_type"] == "image/png" && picture.status == 200)
            for path in ["/programmes", "/programmes/control", "/recommendations"] {
                let tag = try #require(try await ada.get(ada.own(path)).headers[.eTag])
                let again = try await ada.send(
                    .get, ada.own(path), bytes: nil, headers: [.ifNoneMatch: tag])
                #expect(again.status == 304)
            }
            (try await ada.get(ada.own("/programmes/nothing"))).expectProblem(404, "not-found")
            let other = try await ada.newParticipant(in: "small-steps")
            for path in ["", "/control", "/control/entries"] {
                (try await other.get(ada.own("/programmes\(path)"))).expectProblem(404, "not-found")
            }
            #expect(try await other.get(other.own("/programmes")).json["items"] == [])
            #expect(try await other.get(other.own("/recommendations")).json["items"] == [])
        }
    }

    @Test func `progress follows sheets, corrections and deletions, and counts every version`() async throws {
        try await JourneysPack.withParticipant { pack, ada async throws in
            let (first, _) = try await ada.submit(Self.morning(minutes: 5))
            _ = try await ada.submit(Self.morning(minutes: 3))
            // A practice of stories only is done by reading it.
            _ = try await ada.submit(Entry.body("control_news", [:], minutes: 1))
            #expect(try await Self.progress(ada) == ["control: 2 of 2", "gratitude: 1 of 2"])

            let corrected = try await ada.send(
                .patch, ada.own("/answer-sheets/\(first)"), ["answers": ["thought": "Better"]])
            var pack = pack
            try pack.raise("control_morning", to: "1.0.1")
            try pack.replace("version: 1.0.0\nconsent", "version: 1.1.0\nconsent", in: "study.yaml")
            try await pack.publish(to: ada.server)
            _ = try await ada.submit(Self.morning(version: "1.0.1"))
            // A sheet that was begun before the new version is accepted.
            _ = try await ada.submit(Self.morning(minutes: 8))

            let module = try await ada.get(ada.own("/programmes/control")).json["modules"]?.array?.first
            #expect(corrected.status == 200 && module?["version"] == "1.0.1" && module?["times"] == 4)
            #expect(module?["last_at"] == .instant(ServerFixture.now))
            for sheet in try await ada.listed("questionnaire=control_morning&limit=100") {
                #expect(try await ada.send(.delete, ada.own("/answer-sheets/\(sheet)")).status == 204)
            }
            #expect(try await Self.progress(ada) == ["control: 1 of 2", "gratitude: 0 of 2"])
        }
    }

    @Test func `rating and mood are open after each practice, and the newest rating is shown`() async throws {
        try await JourneysPack.withParticipant { _, ada async throws in
            func rating() async throws -> JSON? {
                try await ada.get(ada.own("/programmes/control")).json["modules"]?.array?.first?["rating"]
            }
            /// The open occasions as `schedule` -> id, after a practice's sheet.
            func following(_ sheet: String) async throws -> [String: JSON] {
                let occasions = try await ada.pages(ada.own("/occasions?limit=100")).filter {
                    $0["follows_sheet"] == .string(sheet)
                }
                #expect(occasions.allSatisfy { $0["state"] == "open" })
                return Dictionary(
                    occasions.map { ($0["schedule"]?.string ?? "", $0["occasion_id"] ?? .null) }
                ) { $1 }
            }
            func rate(_ stars: Int?, _ occasion: JSON?, minutes: Int) async throws -> String {
                let answers: JSON = stars.map { ["stars": .int($0)] } ?? [:]
                return try await ada.submit(
                    Entry.body("practice_rating", answers, minutes: minutes)
                        .with(["occasion_id": occasion ?? .null])
                ).id
            }

            let (first, _) = try await ada.submit(Self.morning(minutes: 5))
            let (second, _) = try await ada.submit(Self.morning(minutes: 4))
            let (news, _) = try await ada.submit(Entry.body("control_news", [:], minutes: 3))
            let (afterFirst, afterSecond) = (try await following(first), try await following(second))

            #expect(
                Set(afterFirst.keys) == ["rate", "mood_after"]
                    && Set(afterSecond.keys) == ["rate", "mood_after"])
            #expect(Set(try await following(news).keys) == ["rate"])
            #expect(try await rating()?.isNull == true)
            _ = try await rate(2, afterSecond["rate"], minutes: 3)
            #expect(try await rating() == 2)
            _ = try await rate(5, afterFirst["rate"], minutes: 2)
            #expect(try await rating() == 5)
            // Without the practice's sheet its rating does not count.
            #expect(try await ada.send(.delete, ada.own("/answer-sheets/\(first)")).status == 204)
            #expect(try await rating() == 2)
        }
    }

    @Test func `entries have the words that the participant read, the newest first`() async throws {
        try await JourneysPack.withParticipant { pack, ada async throws in
            let (first, _) = try await ada.submit(Self.morning(minutes: 5))
            _ = try await ada.submit(Entry.body("control_news", [:], minutes: 4))
            var pack = pack
            try pack.replace(
                "What can you decide today?", "What is yours?",
                in: "instruments/control_morning/1.0.0/text.en.yaml")
            // All tests share one database, and another one publishes version 1.0.1 with other words.
            try pack.raise("control_morning", to: "1.0.2")
            try pack.replace("version: 1.0.0\nconsent", "version: 1.1.0\nconsent", in: "study.yaml")
            try await pack.publish(to: ada.server)
            _ = try await ada.submit(
                Entry.body("control_morning", ["thought": "New", "where": ["home", "work"]], minutes: 3)
                    .with(["version": "1.0.2"]))
            _ = try await ada.submit(
                Entry.body(
                    "gratitude_first",
                    ["thanks": [["person": "Ida", "years": 3], ["person": "Max"]]], minutes: 2))

            let entries = try await ada.pages(ada.own("/programmes/control/entries?limit=2"))
            let thanks = try await ada.pages(ada.own("/programmes/gratitude/entries?limit=1"))

            #expect(
                entries.map { "\($0["questionnaire"]?.string ?? "") \($0["version"]?.string ?? "")" } == [
                    "control_morning 1.0.2", "control_news 1.0.0", "control_morning 1.0.0",
                ])
            #expect(
                entries.last == [
                    "questionnaire": "control_morning", "version": "1.0.0", "topic": "Morning",
                    "sheet_id": .string(first),
                    "completed_at": .instant(ServerFixture.now.adding(seconds: -300)),
                    "local_date": "2026-11-21",
                    "answers": [
                        [
                            "link_id": "thought", "instance": nil, "text": "What can you decide today?",
                            "type": "text", "value": "My words", "display": "My words",
                        ],
                        [
                            "link_id": "where", "instance": nil, "text": "Where will you be?",
                            "type": "choice", "value": ["home"], "display": "At home",
                        ],
                    ],
                ])
            #expect(entries[1]["answers"] == [])
            #expect(
                entries[0]["answers"]?.array?.map {
                    "\($0["text"]?.string ?? ""): \($0["display"]?.string ?? "")"
                }
                    == ["What is yours?: New", "Where will you be?: At home, At work"])
            #expect(thanks.count == 3)
            #expect(
                thanks.first?["answers"]?.array?.map {
                    "\($0["instance"]?.int ?? 0) \($0["text"]?.string ?? ""): \($0["display"]?.string ?? "")"
                } == ["1 Name: Ida", "1 For how many years?: 3 a", "2 Name: Max"])
            (try await ada.get(ada.own("/programmes/nothing/entries"))).expectProblem(404, "not-found")
            (try await ada.get(ada.own("/programmes/control/entries?cursor=x"))).expectProblem(
                400, "request-invalid")
        }
    }

    @Test func `an edition changes order, words and withdrawal without a version, and entries stay`()
        async throws
    {
        try await JourneysPack.withParticipant { pack, ada async throws in
            _ = try await ada.submit(Entry.body("control_news", [:], minutes: 4))
            var pack = pack
            // The order, a word, and a withdrawn programme.
            try pack.replace(
                "modules: [control_morning, control_news]",
                "modules: [control_morning, control_news]\n    withdrawn: true",
                in: "library/programmes.yaml")
            try pack.replace(
                "[gratitude_first, control_morning]", "[control_morning, gratitude_first]",
                in: "library/programmes.yaml")
            try pack.replace("title: Gratitude", "title: Thanks", in: "library/programmes.en.yaml")
            #expect(try await pack.publish(to: ada.server) == 2)

            #expect(try await Self.progress(ada) == ["gratitude: 0 of 2"])
            (try await ada.get(ada.own("/programmes/control"))).expectProblem(404, "not-found")
            let gratitude = try await ada.get(ada.own("/programmes/gratitude")).json
            #expect(gratitude["title"] == "Thanks")
            #expect(
                gratitude["modules"]?.array?.compactMap { $0["questionnaire"]?.string }
                    == ["control_morning", "gratitude_first"])
            #expect(try await ada.pages(ada.own("/programmes/control/entries?limit=9")).count == 1)

            // The programme is removed, also with its words.
            try pack.replace(
                """
                  - code: control
                    picture: media/control.png
                    authors: [Epictetus, Marcus Aurelius]
                    modules: [control_morning, control_news]
                    withdrawn: true

                """, "", in: "library/programmes.yaml")
            try pack.replace(
                """
                control:
                  title: What is in our control
                  subtitle: A journey of two practices
                  introduction: |-
                    Some things are **ours**.

                    Others are not.

                """, "", in: "library/programmes.en.yaml")
            pack.remove("library/media/control.png")
            #expect(try await pack.publish(to: ada.server) == 3)
            #expect(try await ada.pages(ada.own("/programmes/control/entries?limit=9")).count == 1)
            #expect(try await ada.server.store.hasPublished(programme: "control", of: pack.code))
            #expect(try await !ada.server.store.hasPublished(programme: "nothing", of: pack.code))
        }
    }

    @Test func `a practice that the participant's version does not have is left out`() async throws {
        try await JourneysPack.withParticipant { pack, ada async throws in
            var next = pack
            try next.replace("version: 1.0.0\nconsent", "version: 1.1.0\nconsent", in: "study.yaml")
            try next.replace(
                "{questionnaire: gratitude_first, practice: true}", "gratitude_first", in: "study.yaml")
            try next.replace(
                "[gratitude_first, control_morning]", "[control_morning]", in: "library/programmes.yaml")
            try next.replace("of: gratitude_first", "of: control_news", in: "library/recommendations.yaml")
            try await next.publish(to: ada.server)
            // The edition for the version with three practices, which an enrolled participant does not follow.
            let earlier = try StudyPublication(PackFiles(files: pack.files), study: pack.code)
            _ = try await ada.server.store.publish(try #require(earlier.edition), now: ServerFixture.now)

            #expect(try await Self.progress(ada) == ["control: 0 of 2", "gratitude: 0 of 1"])
            let recommended = try await ada.get(ada.own("/recommendations")).json["items"]?.array ?? []
            let codes = recommended.compactMap { $0["code"]?.string }
            #expect(codes == ["control_morning", "gratitude"])
        }
    }

    @Test func `recommendations follow the table, rules and models`() async throws {
        try await JourneysPack.withParticipant { pack, ada async throws in
            func recommended() async throws -> [String] {
                let items = try await ada.get(ada.own("/recommendations")).json["items"]?.array ?? []
                return items.map {
                    "\($0["rank"]?.int ?? 0) \($0["kind"]?.string ?? "") \($0["code"]?.string ?? "") \($0["why"]?.string ?? "")"
                }
            }

            #expect(
                try await recommended() == [
                    "1 practice control_morning table", "2 programme gratitude table",
                ])
            _ = try await ada.submit(Entry.body("onboarding", ["goal": "anxiety"], minutes: 2))
            #expect(
                try await recommended() == [
                    "1 practice control_news rule", "2 practice control_morning table",
                    "3 programme gratitude table",
                ])
            // Without a mood the model has a blank variable.
            _ = try await ada.submit(Entry.body("mood_check", ["mood": 6], minutes: 1))
            #expect(
                try await recommended() == [
                    "1 practice gratitude_first model", "2 practice control_news rule",
                    "3 practice control_morning table", "4 programme gratitude table",
                ])

            var pack = pack
            try pack.replace(
                "modules: [gratitude_first, control_morning]",
                "modules: [gratitude_first, control_morning]\n    withdrawn: true",
                in: "library/programmes.yaml")
            try await pack.publish(to: ada.server)
            // Its only practice that no other programme has is withdrawn, too.
            #expect(
                try await recommended()
                    == ["1 practice control_news rule", "2 practice control_morning table"])
        }
    }
}
