import Foundation
import SaunterCore
import Testing

@testable import SaunterCohort

@Suite("Decision rules in a simulation")
struct SimulatedRuleTests {
    private static func daily(_ times: String...) throws -> DecisionPoint {
        .calendar(.init(times: try times.map { .literal(try SimulationSample.time($0)) }))
    }

    private static func message(_ code: String, _ point: DecisionPoint) -> DecisionRule {
        DecisionRule(code: code, point: point, action: .message(.init()))
    }

    /// One occasion every evening from 18:00 to 22:00, with a mail at 18:30. The quiet hours are 22:00 to 07:00.
    private static func study(_ rules: [DecisionRule], maximumPerDay: Int? = nil) throws -> Study {
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 10)], days: 10, anyTime: ["note"])
        study.reminder?.maximumPerDay = maximumPerDay
        study.rules = rules
        return study
    }

    /// Every participant answers no occasion and writes no note, and nothing else happens.
    private static var silent: Behaviour {
        var behaviour = SimulationSample.steady
        behaviour.adherence = 0
        behaviour.unscheduledPerDay = 0
        return behaviour
    }

    private static func run(
        _ study: Study, participants: Int = 20, behaviour: Behaviour = silent
    ) async throws -> (participants: [ParticipantSimulation], report: SimulationReport) {
        try await SimulationSample.run(
            SimulationSample.simulation(study, participants: participants, behaviour: behaviour))
    }

    private static func local(_ moment: Instant, of participant: ParticipantSimulation) -> (LocalDate, String)
    {
        let local = participant.course.zone(at: moment).local(of: moment)
        return (local.date, "\(local.time)")
    }

    @Test func `messages of rules count for the daily maximum with the other reminders`() async throws {
        let rule = Self.message("tip", try Self.daily("08:00", "12:00", "20:00"))
        let study = try Self.study([rule], maximumPerDay: 2)

        let (participants, report) = try await Self.run(study)

        for participant in participants {
            let wholeDates = (1...9).map { participant.enrolledOn.adding(days: $0) }
            for date in wholeDates {
                let decisions = participant.decisions.filter {
                    Self.local($0.point.moment, of: participant).0 == date
                }
                // The mail at 18:30 would be the third message, and so is that at 20:00.
                #expect(decisions.map(\.outcome) == [.message, .message, .dailyCap])
                #expect(participant.reminders.filter { $0.date == date }.map(\.rule) == ["tip", "tip"])
            }
        }
        let figures = try #require(report.rules.first)
        #expect(figures.outcomes.values.reduce(0, +) == figures.points)
        // One message on the date of joining, at 12:00 or at 20:00 because the mail is the second one, then two a date.
        #expect(figures.messages.maximumPerWeek == 13)
        #expect(report.total.reminders == report.calendar.values.reduce(0) { $0 + $1.reminders })
    }

    @Test func `a reminder uses the daily maximum before a later message of a rule`() async throws {
        let rule = Self.message("late", try Self.daily("20:00"))
        let study = try Self.study([rule], maximumPerDay: 1)

        let participants = try await Self.run(study).participants

        for participant in participants {
            let whole = participant.decisions.filter {
                (1...9).contains(
                    Self.local($0.point.moment, of: participant).0.days - participant.enrolledOn.days)
            }
            #expect(whole.map(\.outcome) == Array(repeating: .dailyCap, count: 9))
        }
    }

    @Test func `a message waits for the end of the quiet hours, or is dropped if it expires before`()
        async throws
    {
        let waiting = Self.message("waiting", try Self.daily("06:00"))
        var expiring = Self.message("expiring", try Self.daily("23:00"))
        expiring.validFor = 3600

        let (participants, report) = try await Self.run(try Self.study([waiting, expiring]))

        let figures = Dictionary(uniqueKeysWithValues: report.rules.map { ($0.rule, $0.outcomes) })
        // Ten dates after the date of joining, and that date for what is after joining.
        #expect(figures["waiting"] == [.message: 200])
        #expect(figures["expiring"] == [.quietHours: 220])
        let sent = participants.flatMap { participant in
            participant.reminders.filter { $0.rule != nil }.map { Self.local($0.at, of: participant).1 }
        }
        let end = "\(try SimulationSample.time("07:00"))"
        #expect(sent.count == 200 && Set(sent) == [end])
    }

    @Test func `a break mutes rules, and a participant who left has no more points`() async throws {
        var behaviour = Self.silent
        behaviour.pause = 1
        behaviour.withdrawal = 1
        let study = try Self.study([Self.message("tip", try Self.daily("09:00", "15:00"))])

        let (participants, report) = try await Self.run(study, participants: 60, behaviour: behaviour)

        for participant in participants {
            let pauses = participant.course.pauses
            let leavesAt = try #require(participant.course.leavesAt)
            for decision in participant.decisions {
                let isPaused = pauses.contains {
                    $0.from <= decision.decidedAt && decision.decidedAt < $0.to ?? .maximum
                }
                #expect(decision.outcome == (isPaused ? .muted : .message))
                #expect(decision.decidedAt == decision.point.moment && decision.decidedAt < leavesAt)
            }
        }
        #expect((report.rules.first?.outcomes[.muted] ?? 0) > 50)
    }

    @Test func `a rule after an entry acts when the sheet arrives, and not again in its cooldown`()
        async throws
    {
        var behaviour = Self.silent
        behaviour.unscheduledPerDay = 4
        behaviour.offline = 0.3
        var rule = Self.message("thanks", .entry(questionnaire: "note"))
        rule.cooldown = 6 * 3600

        let participants = try await Self.run(try Self.study([rule]), behaviour: behaviour).participants

        var cooldowns = 0
        for participant in participants {
            let arrivals = participant.unscheduled.map(\.receivedAt).sorted()
            #expect(participant.decisions.map(\.decidedAt) == arrivals)
            var last = Instant.minimum
            for decision in participant.decisions {
                let isCooling = decision.decidedAt < last.adding(seconds: 6 * 3600)
                // A message that waits for the end of the quiet hours counts from then on.
                #expect(decision.outcome == (isCooling ? .cooldown : .message))
                if isCooling { cooldowns += 1 } else { last = decision.sendAt ?? decision.decidedAt }
            }
        }
        #expect(cooldowns > 100)
    }

    @Test func `a randomised rule acts with its probability at available points`() async throws {
        var rule = Self.message("suggestion", try Self.daily("10:00", "14:00", "18:00"))
        rule.probability = 0.6

        let (participants, report) = try await Self.run(try Self.study([rule]), participants: 100)

        let figures = try #require(report.rules.first)
        #expect(figures.points == figures.available && figures.points >= 3000)
        #expect(Set(figures.outcomes.keys) == [.message, .randomisedOut])
        let bounds = SimulationTests.binomialBounds(figures.available, 0.6, tail: 0.0005)
        #expect(bounds.contains(figures.outcomes[.message] ?? 0), "\(figures.outcomes), not in \(bounds)")
        #expect(
            participants.flatMap(\.decisions).allSatisfy { decision in
                decision.outcome == ((decision.draw ?? 1) < 0.6 ? .message : .randomisedOut)
            })
        #expect(figures.stored == figures.outcomes)
    }

    @Test(arguments: [2, 5])
    func `the report does not depend on the number of workers`(workers: Int) async throws {
        var rule = Self.message("suggestion", try Self.daily("10:00", "14:00", "18:00"))
        rule.probability = 0.5
        let study = try Self.study(
            [rule, Self.message("thanks", .entry(questionnaire: "note"))], maximumPerDay: 3)
        let simulation = try SimulationSample.simulation(study, participants: 300, behaviour: Behaviour())

        let report = try await simulation.run(workers: 1)

        #expect(try await simulation.run(workers: workers).json == report.json)
        #expect(report.ruleMessages.count == report.rules.reduce(0) { $0 + $1.messages.count })
    }

    @Test func `participants who keep the defaults of settings answer no settings`() async throws {
        var study = try Self.study([])
        study.settings = ["note"]
        study.anyTime = []
        var behaviour = Self.silent
        behaviour.settings = 0

        let none = try await Self.run(study, behaviour: behaviour).report
        behaviour.settings = 1
        let participants = try await Self.run(study, behaviour: behaviour).participants

        #expect(none.total.unscheduled == 0)
        for participant in participants {
            let sheet = try #require(participant.unscheduled.first)
            #expect(participant.unscheduled.count == 1)
            #expect((120_000...3_000_000).contains(sheet.at.milliseconds(since: participant.course.joinedAt)))
        }
    }

    @Test func `batches are short if the study has decision rules`() throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 3)], days: 3)
        var ruled = study
        ruled.rules = [Self.message("tip", try Self.daily("08:00"))]

        #expect(study.batchSeconds == 3600)
        #expect(ruled.batchSeconds == 300)
    }
}
