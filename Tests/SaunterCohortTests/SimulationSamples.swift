import SaunterCore
import Testing

@testable import SaunterCohort

/// Small studies for the tests of simulations.
enum SimulationSample {
    static func time(_ text: String) throws -> LocalTime { try #require(LocalTime(text)) }

    /// One occasion every evening from 18:00 to 22:00, due at 20:00.
    static func evenings(days: Int, anchor: Anchor = .enrolment, id: String = "evening") throws -> Schedule {
        Schedule(
            id: id, questionnaire: id, anchor: anchor,
            recurrence: anchor == .enrolment ? .every(days: 1, untilDay: days - 1) : .once,
            slots: [Slot(opening: .fixed(try time("18:00")), dueAfter: 2 * 3600, closeAfter: 4 * 3600)])
    }

    static func study(
        _ schedules: [Schedule], days: Int, arms: [Arm] = [Arm(code: "all", ratio: 1)],
        anyTime: [String] = [],
        zone: Zone? = nil
    ) throws -> Study {
        let codes = Set(schedules.map(\.questionnaire) + anyTime).sorted()
        return Study(
            code: "tried", version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: [:],
            zone: try zone ?? #require(Zone("Europe/Berlin")), days: days, arms: arms,
            allocation: Allocation(blockSizes: [arms.reduce(0) { $0 + $1.ratio } * 2], isConcealed: false),
            schedules: schedules,
            questionnaires: codes.map {
                Questionnaire(
                    code: $0, version: "1.0.0", item: [],
                    text: ["en": QuestionnaireText(title: $0, items: [:], options: [:])], languages: ["en"],
                    minutes: 3)
            },
            anyTime: anyTime.map { AnyTimeRule(questionnaire: $0) },
            reminder: ReminderRule(
                at: try time("18:30"), quietFrom: try time("22:00"), quietTo: try time("07:00")))
    }

    /// Every participant answers every occasion on time, and nothing else happens.
    static var steady: Behaviour {
        var behaviour = Behaviour()
        behaviour.adherence = 1
        behaviour.spread = 0
        behaviour.late = 0
        behaviour.offline = 0
        behaviour.travel = 0
        behaviour.dropout = 0
        behaviour.withdrawal = 0
        behaviour.pause = 0
        return behaviour
    }

    static func simulation(
        _ study: Study, participants: Int, behaviour: Behaviour = steady, recruiting: Int = 1,
        days: Int? = nil,
        zones: [Zone] = [], seed: UInt64 = 1
    ) throws -> Simulation {
        Simulation(
            of: study, participants: participants, from: try #require(LocalDate("2026-03-16")),
            recruitingDays: recruiting,
            zones: zones, days: days, behaviour: behaviour, seed: seed)
    }

    static func run(_ simulation: Simulation, workers: Int = 1) async throws -> (
        participants: [ParticipantSimulation], report: SimulationReport
    ) {
        var participants: [ParticipantSimulation] = []
        let report = try await simulation.run(workers: workers) { part, _ in participants += part }
        return (participants, report)
    }
}
