import Foundation
import Testing

@testable import SaunterCore

/// What a made-up participant sees and receives at one moment.
@Suite("Rehearsal")
struct RehearsalTests {
    /// An evening questionnaire of every day, and a morning one only for the arm `control`.
    private static func study() throws -> Study {
        var morning = Sample.schedule(
            "morning", asks: "morning", slots: [try Sample.slot("07:00", due: hour, close: 2 * hour)])
        morning.arms = ["control"]
        var study = Sample.study([
            Sample.schedule(
                slots: [try Sample.slot("18:00", due: hour, close: 3 * hour)]), morning,
        ])
        study.walking = nil
        study.reminder = ReminderRule(at: try time("17:00"), quietFrom: .midnight, quietTo: .midnight)
        return study
    }

    private static func rehearsal(
        _ study: Study? = nil, arm: String = "control", at moment: String,
        _ answers: [Rehearsal.Answer] = [], zone: Zone = .utc
    ) throws -> Rehearsal {
        Rehearsal(
            study: try study ?? Self.study(), arm: arm,
            enrolledAt: try SaunterCoreTests.at("2026-05-01T06:00:00Z"),
            at: try SaunterCoreTests.at(moment), zone: zone, answers: answers)
    }

    private static func due(_ rehearsal: Rehearsal) -> [String] {
        rehearsal.overview.filter { !$0.isDisabled }.map(\.questionnaire)
    }

    @Test(arguments: [
        ("2026-05-04T07:30:00Z", "control", ["morning"], 3), ("2026-05-04T07:30:00Z", "experimental", [], 3),
        ("2026-05-04T12:00:00Z", "control", [], 3), ("2026-05-05T18:00:00Z", "experimental", ["evening"], 4),
        ("2026-05-05T21:00:00Z", "experimental", [], 4),
    ])
    func `the moment and the arm determine what is open`(
        moment: String, arm: String, open: [String], day: Int
    ) throws {
        let rehearsal = try Self.rehearsal(arm: arm, at: moment)

        #expect(Self.due(rehearsal) == open)
        #expect(rehearsal.day == day)
    }

    @Test func `a moment before the enrolment is the enrolment`() throws {
        let rehearsal = try Self.rehearsal(at: "2026-04-20T12:00:00Z")

        #expect(rehearsal.moment == rehearsal.enrolledAt && rehearsal.day == 0)
    }

    @Test func `the times are those of the zone`() throws {
        let berlin = try zone("Europe/Berlin")

        #expect(Self.due(try Self.rehearsal(at: "2026-05-04T16:00:00Z", zone: berlin)) == ["evening"])
        #expect(Self.due(try Self.rehearsal(at: "2026-05-04T18:59:00Z")) == ["evening"])
        #expect(Self.due(try Self.rehearsal(at: "2026-05-04T19:00:00Z", zone: berlin)) == [])
    }

    @Test func `the same input gives the same occasions`() throws {
        let early = try Self.rehearsal(at: "2026-05-02T12:00:00Z")
        let late = try Self.rehearsal(at: "2026-05-20T12:00:00Z")

        #expect(!early.occasions.isEmpty)
        #expect(early.occasions == late.occasions)
    }

    @Test func `an answer counts from its time on, once, and only while the occasion is open`() throws {
        let moment = "2026-05-04T18:30:00Z"
        let open = try #require(
            Self.rehearsal(at: moment).overview.first { $0.questionnaire == "evening" }?.occasionID)
        let answer = Rehearsal.Answer(.occasion(open), at: try at(moment))
        let again = Rehearsal.Answer(.occasion(open), at: try at("2026-05-04T18:40:00Z"))
        let early = Rehearsal.Answer(.occasion(open), at: try at("2026-05-04T17:59:00Z"))

        let answered = try Self.rehearsal(at: "2026-05-04T19:00:00Z", [again, answer, early])
        #expect(answered.completions.map(\.at) == [answer.at])
        #expect(answered.overview.first { $0.questionnaire == "evening" }?.completedAt == answer.at)
        #expect(
            answered.overview.first { $0.questionnaire == "evening" }?.disabledReason == .completedInPeriod)

        let before = try Self.rehearsal(at: "2026-05-04T18:29:00Z", [answer])
        #expect(before.completions.isEmpty && Self.due(before) == ["evening"])
    }

    @Test func `an entry at any time counts for the maximum of its day`() throws {
        var study = try Self.study()
        study.questionnaires.append(Sample.questionnaire("log"))
        study.anyTime = [AnyTimeRule(questionnaire: "log", maximumPerDay: 1)]
        let entry = Rehearsal.Answer(.questionnaire("log"), at: try at("2026-05-04T10:00:00Z"))
        let unknown = Rehearsal.Answer(.questionnaire("other"), at: try at("2026-05-04T10:00:00Z"))

        let same = try Self.rehearsal(study, at: "2026-05-04T12:00:00Z", [entry, unknown])
        #expect(same.completions.map(\.questionnaire) == ["log"])
        #expect(same.overview.first { $0.questionnaire == "log" }?.disabledReason == .completedInPeriod)
        let next = try Self.rehearsal(study, at: "2026-05-05T12:00:00Z", [entry])
        #expect(Self.due(next) == ["log"])
    }

    @Test func `an answer plans the occasions that follow it, which can be answered too`() throws {
        var study = try Self.study()
        study.schedules.append(
            Sample.schedule(
                "after", asks: "after", anchor: .completion(questionnaire: "evening"), repeating: .once,
                slots: [try Sample.slot("20:00", due: hour, close: 2 * hour)]))
        study.questionnaires.append(Sample.questionnaire("after"))
        let first = try #require(
            Self.rehearsal(study, at: "2026-05-04T18:30:00Z").overview.first {
                $0.questionnaire == "evening"
            }?
            .occasionID)
        let answer = Rehearsal.Answer(.occasion(first), at: try at("2026-05-04T18:30:00Z"))

        let evening = try Self.rehearsal(study, at: "2026-05-04T20:30:00Z", [answer])
        #expect(Self.due(evening) == ["after"])
        let second = try #require(evening.overview.first { $0.questionnaire == "after" }?.occasionID)
        let follow = Rehearsal.Answer(.occasion(second), at: try at("2026-05-04T20:30:00Z"))

        let later = try Self.rehearsal(study, at: "2026-05-04T20:40:00Z", [answer, follow])
        #expect(later.completions.map(\.questionnaire) == ["evening", "after"])
        #expect(Self.due(try Self.rehearsal(study, at: "2026-05-04T20:30:00Z")) == ["evening"])
    }

    @Test func `a participant knows two weeks, and what has no occasion until then`() throws {
        var study = try Self.study()
        study.schedules.append(
            Sample.schedule(
                "final", asks: "final", offset: 27, repeating: .once,
                slots: [try Sample.slot("10:00", due: hour, close: hour)]))
        study.questionnaires.append(Sample.questionnaire("final"))

        let known = try Self.rehearsal(study, at: "2026-05-02T12:00:00Z").knownOccasions

        let last = known.filter { $0.questionnaire == "evening" }.map(\.localDate).max()
        #expect(last == (try day("2026-05-16")))
        #expect(known.filter { $0.questionnaire == "final" }.map(\.localDate) == [try day("2026-05-28")])
    }

    @Test func `the messages of the day are those that the answers leave`() throws {
        var study = try Self.study()
        study.schedules[0].reminders = [.atOpen]
        study.schedules[0].isInDailyMail = false
        let messages = try Self.rehearsal(study, at: "2026-05-04T12:00:00Z").messages
        #expect(messages.map(\.at) == [try at("2026-05-04T18:00:00Z")])

        study = try Self.study()
        let daily = try Self.rehearsal(study, at: "2026-05-04T12:00:00Z")
        #expect(daily.messages.map(\.at) == [try at("2026-05-04T17:00:00Z")])
        #expect(daily.messages.first?.reminders.map(\.key.kind) == [.dueToday])
        #expect(daily.messages.first?.occasions.map(\.questionnaire) == ["evening"])
        // The morning questionnaire is over at 17:00. On the last day nothing else is due afterwards.
        #expect(try Self.rehearsal(study, at: "2026-06-10T12:00:00Z").messages.isEmpty)
    }

    @Test func `an answer before a reminder prevents it`() throws {
        var study = try Self.study()
        study.reminder = ReminderRule(at: nil, quietFrom: .midnight, quietTo: .midnight)
        study.schedules[0].reminders = [.afterOpen(seconds: hour)]
        let open = try #require(
            Self.rehearsal(study, at: "2026-05-04T18:30:00Z").overview.first {
                $0.questionnaire == "evening"
            }?
            .occasionID)
        let answer = Rehearsal.Answer(.occasion(open), at: try at("2026-05-04T18:30:00Z"))

        #expect(
            try Self.rehearsal(study, at: "2026-05-04T20:00:00Z").messages.map(\.at) == [
                at("2026-05-04T19:00:00Z")
            ])
        #expect(try Self.rehearsal(study, at: "2026-05-04T20:00:00Z", [answer]).messages.isEmpty)
    }
}
