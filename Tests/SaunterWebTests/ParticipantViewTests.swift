import SaunterCore
import Testing

@testable import SaunterWeb

/// One participant in the words of a study team's page.
@Suite struct ParticipantViewTests {
    private static func words(_ code: String = "en") throws -> Words.Language {
        try #require(try Words(WebFiles(folder: nil)).languages.first { $0.code == code })
    }

    private static let detail: JSON = [
        "participant_id": "P-017", "arm": "walking", "status": "active", "time_zone": "Europe/Berlin",
        "study_day": 12, "study_days": 28,
        "adherence": ["settled": 11, "completed": 9, "on_time": 8, "adherence_percent": 81.8],
        "devices": [["missing_count": 2, "newest": 40, "last_seen_at": "2026-11-20T22:10:00.000Z"]],
        "days": .array(
            DayState.allCases.enumerated().map { number, state in
                [
                    "study_day": .int(number), "date": "2026-11-21", "state": .string(state.rawValue),
                    "offered": 3, "completed": 2, "on_time": 1,
                ]
            }),
    ]

    @Test func `the head line states arm, day, adherence with both numbers, and state`() throws {
        let english = ParticipantView(Self.detail, try Self.words())
        let german = ParticipantView(Self.detail, try Self.words("de"))

        #expect(english.facts.map { $0["text"] } == ["walking", "12 of 28", "9 of 11 (81.8 %)", "active"])
        #expect(german.adherence == "9 von 11 (81,8 %)")
    }

    @Test func `a study without an end states the day and not its last day`() throws {
        var detail = Self.detail.object ?? [:]
        detail["study_days"] = 3650

        let view = ParticipantView(.object(detail), try Self.words())

        #expect(view.facts.map { $0["text"] }.contains("12"))
        #expect(!view.facts.contains { $0["text"]?.contains("3650") == true })
    }

    @Test(arguments: [(0, true), (28, true), (400, true), (401, false), (3650, false)])
    func `the days of a long study are not counted`(lastDay: Int, isCounted: Bool) {
        #expect(StudyLength.isCounted(lastDay: lastDay) == isCounted)
    }

    @Test func `without a closed occasion there is no percentage`() throws {
        var detail = Self.detail.object ?? [:]
        detail["adherence"] = ["settled": 0, "completed": 0, "on_time": 0, "adherence_percent": nil]

        let view = ParticipantView(.object(detail), try Self.words())

        #expect(!view.adherence.contains("%"))
    }

    @Test func `records on a device are a warning with their number and the zone of the participant`() throws
    {
        let view = ParticipantView(Self.detail, try Self.words())

        #expect(view.warnings.count == 1)
        #expect(view.warnings.first?.contains("2 records") == true)
        // 22:10 in UTC is 23:10 in Berlin.
        #expect(view.warnings.first?.contains("23:10") == true)
    }

    @Test func `every state of a day has its own sign and words`() throws {
        let days = ParticipantView(Self.detail, try Self.words()).days

        #expect(Set(days.map(\.glyph)).count == DayState.allCases.count)
        #expect(Set(days.map(\.text)).count == DayState.allCases.count)
        let late = try #require(days.first { $0.state == "late" })
        #expect(late.text == "Nov 21: 2 of 3, late" || late.text == "21 Nov: 2 of 3, late")
        #expect(days.first { $0.state == "paused" }?.text.contains("of") == false)
    }
}

/// Entries of a timeline in words.
@Suite struct TimelineRowTests {
    private static func row(_ entry: JSON, _ code: String = "en") throws -> TimelineRow {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first { $0.code == code })
        return TimelineRow(entry, words, LocalTimeText(language: code, zone: "Europe/Berlin"))
    }

    @Test func `a sheet has its scores, and leads to its page`() throws {
        let row = try Self.row([
            "at": "2026-11-21T17:04:00.000Z", "kind": "sheet", "id": "s1", "title": "Evening review",
            "state": "late",
            "detail": [
                "scores": [["label": "Total", "value": 14.5], ["label": "Rest", "value": nil]],
                "late_s": 1260, "revision": 2, "flags": ["clock_skew"], "duplicate_of": nil,
            ],
        ])

        #expect(row.page == "sheets/s1" && row.name == "Evening review" && row.state == "late")
        #expect(row.text.hasPrefix("Total 14.5 · Rest "))
        #expect(row.text.hasSuffix("21 minutes late · revision 2 · clock_skew"))
    }

    @Test(arguments: [
        (60, "1 minute late"), (1260, "21 minutes late"), (14_280, "3 h 58 min late"),
        (259_200, "3 days late"),
    ])
    func `a delay has a unit that suits it`(seconds: Int, text: String) throws {
        let row = try Self.row([
            "at": "2026-11-21T17:04:00.000Z", "kind": "sheet", "id": "s1", "title": "Evening review",
            "state": "late", "detail": ["late_s": .int(seconds)],
        ])

        #expect(row.text == text)
    }

    @Test func `a missed occasion is not answered, and an answered one leads to its sheet`() throws {
        let missed = try Self.row([
            "at": "2026-11-21T17:00:00.000Z", "kind": "occasion", "id": "o1", "title": "Evening review",
            "state": "missed",
            "detail": ["close_at": "2026-11-22T03:00:00.000Z", "completed_at": nil, "sheet_id": nil],
        ])
        let answered = try Self.row([
            "at": "2026-11-21T17:00:00.000Z", "kind": "occasion", "id": "o2", "title": "Evening review",
            "state": "completed_on_time",
            "detail": [
                "close_at": "2026-11-22T03:00:00.000Z", "completed_at": "2026-11-21T17:04:00.000Z",
                "sheet_id": "s1",
            ],
        ])

        #expect(missed.state == "not answered" && missed.page == nil && missed.text.contains("04:00"))
        #expect(answered.page == "sheets/s1" && answered.text.contains("18:04"))
    }

    @Test func `a walk states how long it was above the target`() throws {
        let row = try Self.row(
            [
                "at": "2026-11-21T11:10:00.000Z", "kind": "walk", "id": "w1", "title": nil, "state": nil,
                "detail": [
                    "active_s": 1440, "mean_speed_kmh": 3.7, "above_target_s": 85, "above_target_count": 3,
                ],
            ], "de")

        #expect(row.kind == "Spaziergang" && row.state.isEmpty && row.page == "walks/w1" && !row.name.isEmpty)
        #expect(row.text.contains("3,7 km/h") && row.text.contains("1:25 min") && row.text.contains("3×"))
    }

    @Test func `a message names its channels and what happened to it`() throws {
        let row = try Self.row([
            "at": "2026-11-21T17:00:00.000Z", "kind": "message", "id": "m1", "title": nil, "state": "sent",
            "detail": [
                "reminders": ["at_open"], "rule": nil, "broadcast_id": nil, "channels": ["push"],
                "delivered_at": nil, "opened_at": "2026-11-21T17:02:00.000Z", "acted_at": nil,
                "dismissed_at": nil, "reason": nil,
            ],
        ])

        #expect(row.text.hasPrefix("at the opening · push · opened") && row.text.hasSuffix("18:02"))
    }

    @Test func `an unknown state is shown as its code`() throws {
        let row = try Self.row([
            "at": "2026-11-21T17:00:00.000Z", "kind": "decision", "id": "d", "title": nil,
            "state": "new_outcome", "detail": ["rule": "evening"],
        ])

        #expect(row.state == "new outcome" && row.name == "evening")
    }

    @Test(arguments: ["en", "de"])
    func `every kind and every state of the API has words`(code: String) throws {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first { $0.code == code })
        let states =
            OccasionState.allCases.map(\.rawValue) + Timeliness.allCases.map(\.rawValue)
            + ReminderState.allCases.map(\.rawValue) + RuleOutcome.allCases.map(\.rawValue)
            + [
                "deleted", "waiting", "applied", "superseded", "refused", "acknowledged", "ended", "granted",
                "revoked",
            ]

        for state in states { #expect(words["timeline", "state_\(state)"] != nil, "\(state)") }
        for kind in ReminderKind.allCases where kind != .rule {
            #expect(words["timeline", "reminder_\(kind.rawValue)"] != nil, "\(kind)")
        }
        for reason in ScoreReason.allCases {
            #expect(words["sheet", "reason_\(reason.rawValue)"] != nil, "\(reason)")
        }
        for reason in MissingReason.allCases where reason != .notShown {
            #expect(words["staff_blank", reason.code] != nil, "\(reason)")
        }
    }
}
