import Foundation
import SaunterCore
import Testing

@testable import SaunterServer
@testable import SaunterStore

@Suite struct AnswerSheetValidatorTests {
    private let receivedAt = Instant("2026-11-21T20:00:00Z")!
    private let zone = Zone("Europe/Berlin")!

    private var questionnaire: Questionnaire {
        var item = Item(linkId: "mood", type: .integer)
        item.required = true
        item.minValue = 0
        item.maxValue = 10
        return Questionnaire(
            code: "evening", version: "1.0.0", item: [item],
            text: ["en": QuestionnaireText(title: "Evening", items: ["mood": "Mood"], options: [:])],
            languages: ["en"],
            scoring: ScoringKey(
                version: "1.0.0", scales: [Scale(id: "mood", items: ["mood"], method: .value)]))
    }

    private func validator(late: LatePolicy = .flag) -> AnswerSheetValidator {
        let schedule = Schedule(
            id: "evening", questionnaire: "evening", recurrence: .every(days: 1, untilDay: 27),
            slots: [Slot(opening: .fixed(LocalTime("17:00")!), dueAfter: 18_000, closeAfter: 39_600)],
            latePolicy: late)
        let text = StudyText(
            title: "S", summary: "", consent: "", course: [], reminderSubject: "", reminderBody: "")
        let study = Study(
            code: "s", version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: ["en": text], zone: zone, days: 28, arms: [Arm(code: "a", ratio: 1)],
            allocation: Allocation(blockSizes: [2], isConcealed: true), schedules: [schedule],
            questionnaires: [questionnaire])
        let enrolment = Enrolment(
            id: EnrolmentID(UUID()), study: "s", studyVersion: "1.0.0", participantID: "P1", arm: "a",
            consentVersion: "1",
            consentedAt: receivedAt.adding(seconds: -864_000),
            enrolledAt: receivedAt.adding(seconds: -864_000),
            enrolledOn: LocalDate("2026-11-11")!, zone: zone, language: "en", state: .active, endedAt: nil,
            reminderAt: nil, remindersOn: true, channels: [.mail], nextReminderAt: nil,
            plannedThrough: LocalDate("2026-12-05")!)
        return AnswerSheetValidator(
            enrolment: enrolment, study: PublishedStudy(study: study, digest: ""), receivedAt: receivedAt)
    }

    /// In Berlin: opens on 21 November at 17:00, is due at 22:00, and closes on 22 November at 04:00.
    private var occasion: Occasion {
        Occasion(
            id: OccasionID(UUID()),
            key: OccasionKey(schedule: "evening", anchorInstance: "", dayIndex: 10, slotIndex: 0),
            questionnaire: "evening", localDate: LocalDate("2026-11-21")!, zone: zone,
            window: AssessmentWindow(
                visibleAt: Instant("2026-11-21T16:00:00Z")!, openAt: Instant("2026-11-21T16:00:00Z")!,
                dueAt: Instant("2026-11-21T21:00:00Z")!, closeAt: Instant("2026-11-22T03:00:00Z")!))
    }

    private func body(
        _ answers: JSON = ["mood": 7], completed: String = "2026-11-21T19:59:00Z",
        clientNow: String = "2026-11-21T20:00:00Z",
        occasion: Occasion? = nil, version: String = "1.0.0", questionnaire: String = "evening",
        more: JSONObject = [:]
    ) throws -> AnswerSheetBody {
        var object: JSONObject = [
            "questionnaire": .string(questionnaire), "version": .string(version),
            "started_at": "2026-11-21T19:58:00Z", "completed_at": .string(completed),
            "time_zone": "Europe/Berlin",
            "client_now": .string(clientNow), "answers": answers,
        ]
        if let occasion { object["occasion_id"] = .string(occasion.id.description) }
        for member in more { object[member.name] = member.value }
        return try #require(AnswerSheetBody(.object(object)))
    }

    @Test func `a sheet within its window is on time and scored`() throws {
        let occasion = occasion

        let sheet = try validator().submission(SheetID(UUID()), body(occasion: occasion), occasion: occasion)

        #expect(sheet.timeliness == .onTime)
        #expect(sheet.fulfilsOccasion)
        #expect(sheet.lateS == nil)
        #expect(sheet.flags.isEmpty)
        #expect(sheet.scores.first?.value == 7)
    }

    @Test(arguments: [
        ("2026-11-21T15:59:59Z", Timeliness.early, false), ("2026-11-21T16:00:00Z", .onTime, true),
        ("2026-11-21T21:00:00Z", .onTime, true), ("2026-11-21T21:00:01Z", .late, true),
        ("2026-11-22T02:59:59Z", .late, true), ("2026-11-22T03:00:00Z", .outOfWindow, false),
    ])
    func `the due instant is on time and the close instant is out of window`(
        at: String, timeliness: Timeliness, fulfilsOccasion: Bool
    )
        throws
    {
        let occasion = occasion
        var validator = validator()
        validator.receivedAt = Instant("2026-11-23T08:00:00Z")!
        let late = try body(
            completed: at, clientNow: "2026-11-23T08:00:00Z", occasion: occasion,
            more: ["started_at": "2026-11-21T10:00:00Z"])

        let sheet = try validator.submission(SheetID(UUID()), late, occasion: occasion)

        #expect(sheet.timeliness == timeliness)
        #expect(sheet.fulfilsOccasion == fulfilsOccasion)
    }

    @Test func `a device clock that is wrong by a year is corrected with client_now`() throws {
        let occasion = occasion
        let wrong = try body(
            completed: "2025-11-21T19:59:00Z", clientNow: "2025-11-21T20:00:00Z", occasion: occasion,
            more: ["started_at": "2025-11-21T19:58:00Z"])

        let sheet = try validator().submission(SheetID(UUID()), wrong, occasion: occasion)

        #expect(sheet.timeliness == .onTime)
        #expect(sheet.correctedCompletedAt == Instant("2026-11-21T19:59:00Z"))
        #expect(sheet.completedAt == Instant("2025-11-21T19:59:00Z"))
        #expect(sheet.flags == ["clock_skew"])
    }

    @Test(arguments: [(["mood"], []), ([], ["client_disagreed"]), (nil, [])] as [([JSON]?, [String])])
    func `a sheet of an app that did not show an item of the server is flagged`(
        shown: [JSON]?, flags: [String]
    ) throws {
        let occasion = occasion
        let sent = try body(occasion: occasion, more: shown.map { ["shown": .array($0)] } ?? [:])

        let sheet = try validator().submission(SheetID(UUID()), sent, occasion: occasion)

        #expect(sheet.flags == flags)
    }

    @Test func `a retry with a new client_now has the same digest`() throws {
        let first = try body(clientNow: "2026-11-21T20:00:00Z")
        let second = try body(clientNow: "2026-11-21T20:05:00Z")
        let other = try body(["mood": 8])

        #expect(first.digest == second.digest)
        #expect(first.digest != other.digest)
    }

    @Test func `all faults are reported together`() throws {
        var foreign = occasion
        foreign.questionnaire = "other"
        let wrong = try body(
            ["mood": 11, "nothing": 1], completed: "2026-11-21T19:00:00Z", occasion: foreign,
            more: ["timings": ["mood": 1, "unknown": 2]])

        let faults = #expect(throws: Faults.self) {
            try validator().submission(SheetID(UUID()), wrong, occasion: foreign)
        }

        let pointers = Set((faults?.list ?? []).map(\.pointer))
        #expect(
            pointers == [
                "/completed_at", "/occasion_id", "/answers/mood", "/answers/nothing", "/timings/unknown",
            ])
    }

    @Test(arguments: [("evening", "2.0.0", "/version"), ("morning", "1.0.0", "/questionnaire")])
    func `an unknown version or questionnaire is rejected with its pointer`(
        code: String, version: String, pointer: String
    ) throws {
        let wrong = try body(version: version, questionnaire: code)

        let faults = #expect(throws: Faults.self) {
            try validator().submission(SheetID(UUID()), wrong, occasion: nil)
        }

        #expect(faults?.list.map(\.pointer) == [pointer])
    }

    @Test func `a sheet of a scheduled questionnaire without an occasion is accepted and flagged`() throws {
        let sheet = try validator().submission(SheetID(UUID()), body(), occasion: nil)

        #expect(sheet.timeliness == .outOfWindow)
        #expect(sheet.flags == ["no_occasion"])
        #expect(!sheet.fulfilsOccasion)
    }

    @Test func `a sheet does not complete an excluded occasion`() throws {
        var paused = occasion
        paused.exclusion = .paused

        let sheet = try validator().submission(SheetID(UUID()), body(occasion: paused), occasion: paused)

        #expect(!sheet.fulfilsOccasion)
        #expect(sheet.flags == ["occasion_paused"])
    }

    @Test func `a sheet after the close fulfils the occasion if the late policy is complete`() throws {
        let occasion = occasion
        var validator = validator(late: .complete)
        validator.receivedAt = Instant("2026-11-25T08:00:00Z")!
        let late = try body(
            completed: "2026-11-25T07:59:00Z", clientNow: "2026-11-25T08:00:00Z", occasion: occasion)

        let sheet = try validator.submission(SheetID(UUID()), late, occasion: occasion)

        #expect(sheet.timeliness == .late)
        #expect(sheet.lateS == 298_740)
        #expect(sheet.fulfilsOccasion)
    }
}
