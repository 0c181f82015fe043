import SaunterCore
import Testing

@testable import SaunterWeb

/// The form that publishes a draft, the effect in words, and the comparison with what happened.
@Suite struct PublicationViewTests {
    private static func words(_ language: String = "en") throws -> Words.Language {
        try Words(WebFiles(folder: nil)).language(accepting: language)
    }

    private static func counts(_ moved: Int, _ cancelled: Int, _ added: Int, told: Int, open: Int) -> JSON {
        [
            "moved": .int(moved), "cancelled": .int(cancelled), "added": .int(added),
            "told_before": .int(told), "reminded_again": 0, "open": .int(open),
        ]
    }

    private static func effect(_ enrolments: Int = 2, awaiting: Int = 1, more: JSONObject = [:]) -> JSON {
        var effect: JSONObject = [
            "enrolments": .int(enrolments), "awaiting_consent": .int(awaiting), "complete": true,
            "through": .null, "lost_arms": [],
            "total": counts(40, 3, 5, told: 2, open: 1),
            "schedules": [
                [
                    "schedule": "daily", "arm": "walk", "occasions": counts(40, 3, 5, told: 2, open: 1),
                ]
            ],
        ]
        for member in more { effect[member.name] = member.value }
        return .object(effect)
    }

    private static let rescoring: JSON = [
        "touches": [
            [
                "questionnaire": "who_5", "version": "1.0.0", "key_version": "2", "sheets": 7,
                "changed_scales": ["index"],
            ],
            [
                "questionnaire": "maas", "version": "1.0.0", "key_version": "3", "sheets": 1,
                "changed_scales": [],
            ],
        ]
    ]

    private static func view(
        _ effect: JSON = Self.effect(), rescoring: JSON = Self.rescoring, kind: String = "version",
        problems: [JSON] = [], language: String = "en"
    ) throws -> PublicationView {
        PublicationView(
            [
                "publishable": .bool(problems.isEmpty), "problems": .array(problems), "kind": .string(kind),
                "version": "1.1.0", "edition": 3, "effect": effect, "rescoring": rescoring,
            ], try words(language))
    }

    // MARK: The form

    @Test func `the address keeps what was chosen, but not the code, which the visitor types`() throws {
        let sent = ["follow": "no", "code": "two words&", "revision": "7", "expected": "2.1.40.3.5.2.1.8"]
        let form = PublicationForm { sent[$0] }
        let address = form.address("/staff/walks/draft/publish")

        #expect(
            address
                == "/staff/walks/draft/publish?follow=no&revision=7&expected=2.1.40.3.5.2.1.8"
        )
        #expect(
            form.expected
                == PublicationNumbers(of: "version", effect: Self.effect(), rescoring: Self.rescoring))
        #expect(form.typedCode == "twowords&")
        #expect(PublicationForm { _ in nil }.address("/x") == "/x")
        #expect(PublicationForm { $0 == "follow" ? "perhaps" : nil }.follow.isEmpty)
        #expect(!PublicationForm.names.contains("code"))
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5.6.7.8.9", "1.2.3.4.5.6.7.x", "1.2.3.4.5.6.7.-8", "........"])
    func `numbers that are not those of a page are not read`(text: String) {
        #expect(PublicationNumbers(text: text) == nil)
    }

    // MARK: The preview

    @Test func `the effect is in sentences with the plural of each number`() throws {
        #expect(
            try Self.view().effectSentences == [
                "2 participants are enrolled in another version and can follow this one.",
                "If they follow: 40 future occasions move to another time or questionnaire, 3 are cancelled, 5 are added.",
                "1 occasion is open now and stays as it is.",
                "2 of the moved or cancelled occasions were announced by a mail before. No further mail announces them.",
                "1 participant stays on the present version until this participant consents to the new text.",
            ])
        let large = Self.effect(
            more: [
                "complete": false, "through": "2026-12-24",
                "lost_arms": [["arm": "rest", "participants": 2]],
            ])
        let sentences = try Self.view(large).effectSentences
        #expect(sentences.contains { $0.hasPrefix("2 participants are in arm rest, which this version") })
        #expect(sentences.contains("The study is large. The numbers are those of the first 3 participants."))
        #expect(sentences.contains { $0.contains("December 24") && $0.hasSuffix("are not counted.") })
        #expect(try Self.view(Self.effect(0, awaiting: 0)).effectSentences.count == 1)
        for language in ["en", "de"] {
            for sentence in try Self.view(large, language: language).effectSentences {
                #expect(!sentence.contains("{") && !sentence.contains("effect_"), "\(sentence)")
            }
        }
    }

    @Test func `the warning names the consequence with numbers`() throws {
        #expect(
            try Self.view().warning
                == "Version 1.1.0 becomes the live version at once, and can never be changed or deleted. "
                + "If enrolled participants follow, 48 future occasions of 2 participants change, and this cannot be undone. "
                + "2 of them were announced at other times. 8 answer sheets are scored again.")
        #expect(
            try Self.view(Self.effect(0), rescoring: .null).warning
                == "Version 1.1.0 becomes the live version at once, and can never be changed or deleted.")
        #expect(try Self.view(kind: "edition").warning.hasPrefix("Edition 3 of the library replaces"))
    }

    @Test func `a newer edition of the library is explained with its files`() throws {
        func view(_ library: JSON) throws -> PublicationView {
            PublicationView(
                [
                    "publishable": false, "problems": [], "kind": "edition", "version": "1.0.0",
                    "edition": 3, "library": library,
                ], try Self.words())
        }
        let library: JSON = ["base": 1, "live": 2, "taken_over": ["a.yaml"], "kept": ["b.yaml", "c.yaml"]]
        let model = try #require(try view(library).library)

        #expect((model["text"] as? String)?.contains("Edition 2 of the library was published") == true)
        #expect(
            model["taken"] as? [String] == ["a.yaml"] && model["kept"] as? [String] == ["b.yaml", "c.yaml"])
        #expect(try !view(library).canPublish)
        #expect(try view(.null).library == nil)
        let first: JSON = ["base": .null, "live": 1, "taken_over": [], "kept": ["b.yaml"]]
        #expect(try view(first).library?["has_taken"] as? Bool == false)
    }

    @Test func `the result of a move is in the address of its page`() throws {
        let words = try Self.words()
        let done = MoveResult(["moved": 3, "remaining": 1, "superseded_by": .null])
        #expect(done.address("/v") == "/v?moved=3&remaining=1")
        #expect(
            done.text(words).hasPrefix(
                "3 participants were moved to the live version. 1 participant does not"))
        let values = ["moved": "3", "remaining": "1"]
        #expect(MoveResult(query: { values[$0] }) == done)
        let stopped = MoveResult(["moved": 1, "remaining": 0, "superseded_by": "1.2.0"])
        #expect(stopped.address("/v") == "/v?moved=1&superseded=1")
        #expect(stopped.text(words).contains("Another version was published"))
        for wrong in ["", "-1", "many"] { #expect(MoveResult(query: { _ in wrong }) == nil) }
    }

    @Test func `a choice is needed only if participants can follow`() throws {
        #expect(try Self.view().needsChoice)
        #expect(try !Self.view(Self.effect(0)).needsChoice)
        #expect(try !Self.view(kind: "edition").needsChoice)
    }

    @Test func `problems and an unchanged draft prevent the publication`() throws {
        #expect(try Self.view().canPublish)
        #expect(try !Self.view(problems: ["study.yaml:3: the version is taken"]).canPublish)
        #expect(try !Self.view(kind: "nothing").canPublish)
    }

    @Test func `scores and the rows by schedule and arm are those of the API`() throws {
        let view = try Self.view()
        #expect(
            view.rescoringSentences == [
                "7 stored answer sheets of who_5 1.0.0 will be scored again by version 2 of the scoring key. Changed scales: index.",
                "1 stored answer sheet of maas 1.0.0 will be scored again by version 3 of the scoring key.",
                "Earlier scores are kept.",
            ])
        let table = view.table("walks-publication", asOf: .minimum)
        #expect(
            String(decoding: table.csv.dropFirst(3), as: UTF8.self)
                == "Schedule,Arm,Moved,Cancelled,Added,Announced before,Open now\ndaily,walk,40,3,5,2,1\n")
    }

    @Test func `numbers that changed since the visitor saw them are named`() throws {
        let view = try Self.view()
        var seen = view.numbers
        #expect(view.news(since: seen).isEmpty)
        seen = try #require(PublicationNumbers(text: "1.1.40.3.5.2.1.8"))
        #expect(view.news(since: seen) == ["Participants who can follow: 1 before, 2 now"])
    }

    @Test func `a version that is live already, and a draft that cannot be read, are described as they are`()
        throws
    {
        let words = try Self.words()
        func view(_ more: JSONObject) -> PublicationView {
            var preview: JSONObject = [
                "publishable": true, "problems": [], "kind": "version", "version": "1.1.0",
            ]
            for member in more { preview[member.name] = member.value }
            return PublicationView(.object(preview), words)
        }
        let live = view([
            "live_version": "1.1.0", "effect": Self.effect(), "edition": 3, "edition_is_new": true,
        ])
        let nobody = view(["effect": Self.effect(0, awaiting: 0), "edition": 1, "edition_is_new": true])
        let unreadable = view(["version": .null, "effect": .null, "publishable": false, "problems": ["x"]])

        #expect(live.warning.hasPrefix("Version 1.1.0 is the live version already."))
        #expect(
            live.effectSentences.first
                == "Edition 3 of the library becomes live for all participants at once.")
        #expect(
            nobody.effectSentences == ["Edition 1 of the library becomes live for all participants at once."])
        #expect(unreadable.effectSentences.isEmpty && unreadable.name == "Draft" && !unreadable.canPublish)
    }

    // MARK: The result

    private static func result(moved: Int?, happened: String = "2.1.40.3.5.2.1.8") throws -> PublicationResult
    {
        PublicationResult(
            kind: "version", edition: 3, moved: moved,
            expected: try #require(PublicationNumbers(text: "2.1.40.3.5.2.1.8")),
            happened: try #require(PublicationNumbers(text: happened)))
    }

    @Test func `the address of the result has all of it`() throws {
        let result = try Self.result(moved: 2)
        let address = result.address("/staff/walks/versions/1.1.0")
        var values: [String: String] = [:]
        for pair in try #require(address.split(separator: "?").last).split(separator: "&") {
            let halves = pair.split(separator: "=").map(String.init)
            values[halves[0]] = halves[1]
        }

        #expect(address.hasPrefix("/staff/walks/versions/1.1.0?published=version&edition=3&moved=2&"))
        #expect(PublicationResult(query: { values[$0] }) == result)
        values["published"] = "<b>"
        #expect(PublicationResult(query: { values[$0] }) == nil)
        #expect(PublicationResult(query: { _ in nil }) == nil)
    }

    @Test func `a result as foretold says so, and another one names what differs`() throws {
        let words = try Self.words()
        let same = try Self.result(moved: 2).model("1.1.0", further: "/further", words)
        let other = try Self.result(moved: 1, happened: "1.1.20.3.5.2.1.8")
        let comparison = try #require(
            other.model("1.1.0", further: "/further", words)["comparison"] as? [String: Any])
        let rows = try #require(comparison["rows"] as? [[String: Any]])

        #expect((same["comparison"] as? [String: Any])?["is_same"] as? Bool == true)
        #expect(
            same["sentences"] as? [String] == [
                "Version 1.1.0 is the live version now. New participants get it.",
                "Edition 3 of the library is live now.", "2 participants follow this version now.",
                "1 participant stays on the present version until this participant consents to the new text.",
                "8 stored answer sheets are being scored again. Their earlier scores are kept.",
            ])
        #expect(
            other.differences == 3 && (comparison["text"] as? String)?.hasPrefix("3 numbers differ") == true)
        #expect(
            rows.filter { $0["verdict"] as? String == "different" }.map { $0["name"] as? String } == [
                "Participants who can follow", "Participants who follow now", "Moved",
            ])
    }

    @Test func `participants who remain lead to the form that moves them`() throws {
        var part = try Self.result(moved: 1)
        part.remaining = 1
        let model = part.model("1.1.0", further: "/versions#move", try Self.words())

        #expect(model["further"] as? String == "/versions#move")
        #expect(
            (model["sentences"] as? [String])?.contains { $0.hasPrefix("1 participant does not follow yet") }
                == true)
        #expect(part.differences == 0 && part.address("/x").contains("&remaining=1&"))
        #expect(try Self.result(moved: 2).model("1.1.0", further: "/form", Self.words())["further"] == nil)
        // Another version stopped the move.
        var stopped = try Self.result(moved: 1)
        stopped.isSuperseded = true
        let address = stopped.address("/x")
        #expect(address.contains("&superseded=1&") && stopped.differences == 0)
        let sentences = stopped.model("1.1.0", further: "/form", try Self.words())["sentences"] as? [String]
        #expect(sentences?.contains { $0.hasPrefix("Another version was published") } == true)
        // Of a large study, only a part of the participants is compared, and all of them are moved.
        var large = try Self.result(moved: 9)
        #expect(large.differences == 1)
        large.isPart = true
        #expect(large.differences == 0 && large.address("/x").contains("&part=1&"))
    }

    @Test func `participants who stay are counted, and an edition has no comparison`() throws {
        let words = try Self.words()
        let kept = try Self.result(moved: nil)
        let sentences = try #require(
            kept.model("1.1.0", further: "/further", words)["sentences"] as? [String])
        #expect(sentences.contains("2 participants stay on an earlier version."))
        #expect(!kept.rows.contains { $0.name == "followed" })

        let zero = PublicationNumbers(of: "edition", effect: Self.effect(), rescoring: nil)
        let edition = PublicationResult(
            kind: "edition", edition: 4, moved: nil, expected: zero, happened: zero)
        let model = edition.model("1.0.0", further: "/further", words)
        #expect(model["comparison"] == nil)
        #expect(
            model["sentences"] as? [String] == [
                "Edition 4 of the library is live now, for all participants. The version of the study stays 1.0.0."
            ])
    }
}
