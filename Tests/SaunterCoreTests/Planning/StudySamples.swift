import Foundation
import Testing

@testable import SaunterCore

/// Random numbers that depend only on a seed (SplitMix64), so that a failing case can be repeated.
struct SeededCases: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

func zone(_ id: String) throws -> Zone { try #require(Zone(id)) }
func at(_ text: String) throws -> Instant { try #require(Instant(text)) }
func day(_ text: String) throws -> LocalDate { try #require(LocalDate(text)) }
func time(_ text: String) throws -> LocalTime { try #require(LocalTime(text)) }

let hour = 3600

enum Sample {
    static let enrolment = EnrolmentID(
        UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16)))
    static let seed: [UInt8] = Array(0..<32)

    static func questionnaire(_ code: String, minutes: Double = 2) -> Questionnaire {
        let text = QuestionnaireText(title: code, items: [:], options: [:])
        return Questionnaire(
            code: code, version: "1.0.0", item: [], text: ["en": text], languages: ["en"], minutes: minutes)
    }

    static let text = StudyText(
        title: "Title", summary: "Summary", consent: "Consent",
        course: [TitledText(title: "One", text: "First.")],
        reminderSubject: "{{count}} due", reminderBody: "Dear {{name}}: {{titles}}, {{url}}")

    /// A valid study of 28 days with two arms. It has the questionnaires that its schedules name.
    static func study(_ schedules: [Schedule], days: Int = 28, zone: Zone = .utc) -> Study {
        var codes: [String] = []
        for schedule in schedules where !codes.contains(schedule.questionnaire) {
            codes.append(schedule.questionnaire)
        }
        return Study(
            code: "sample", version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: ["en": text], zone: zone, days: days,
            arms: [Arm(code: "experimental", ratio: 1), Arm(code: "control", ratio: 1)],
            allocation: Allocation(blockSizes: [4, 6], isConcealed: true), schedules: schedules,
            questionnaires: codes.map { questionnaire($0) },
            walking: WalkingRule(requiresCalibration: true, reductionPercent: 5...50, targetFeedbackArms: []))
    }

    static func slot(_ open: String, due: Int, close: Int, visible: Int = 0) throws -> Slot {
        Slot(opening: .fixed(try time(open)), dueAfter: due, closeAfter: close, visibleBefore: visible)
    }

    static func schedule(
        _ id: String = "daily", asks questionnaire: String = "evening", anchor: Anchor = .enrolment,
        offset: Int = 0,
        repeating recurrence: Recurrence = .every(days: 1, untilDay: 27), slots: [Slot],
        zonePolicy: ZonePolicy = .participant
    ) -> Schedule {
        Schedule(
            id: id, questionnaire: questionnaire, anchor: anchor, offsetDays: offset, recurrence: recurrence,
            slots: slots, zonePolicy: zonePolicy)
    }

    static func planner(
        _ study: Study, enrolledAt: Instant, zones: [ZoneChange], arm: String? = "control",
        anchors: [AnchorEvent] = [], status: EnrolmentStatus = .active
    ) -> Planner {
        Planner(
            PlanInput(
                study: study, enrolmentID: enrolment, arm: arm, enrolledAt: enrolledAt, zones: zones,
                anchors: anchors, seed: seed, status: status))
    }

    /// A planned occasion without a study.
    static func occasion(
        _ number: Int = 0, of questionnaire: String = "evening", schedule: String = "daily", open: Instant,
        due: Int = 2 * 3600, close: Int = 4 * 3600, exclusion: OccasionExclusion? = nil,
        completedAt: Instant? = nil,
        zone: Zone = .utc
    ) -> Occasion {
        let key = OccasionKey(schedule: schedule, anchorInstance: "", dayIndex: number, slotIndex: 0)
        return Occasion(
            id: key.id(of: enrolment), key: key, questionnaire: questionnaire,
            localDate: zone.local(of: open).date, zone: zone,
            window: AssessmentWindow(
                visibleAt: open, openAt: open, dueAt: open.adding(seconds: due),
                closeAt: open.adding(seconds: close)),
            exclusion: exclusion, completedAt: completedAt)
    }
}

/// One line per occasion: day index and slot, date, local times of open – due – close with the offset at the opening,
/// and special properties.
func written(_ occasions: [Occasion]) -> String {
    occasions.map { occasion in
        func localTime(_ instant: Instant) -> String {
            let local = occasion.zone.local(of: instant)
            return (local.date == occasion.localDate ? "" : "\(local.date) ") + local.time.description
        }
        let window = occasion.window
        let offset = occasion.zone.local(of: window.openAt).offsetMinutes
        let key = occasion.key
        var line = "\(key.schedule) \(key.dayIndex).\(key.slotIndex) \(occasion.localDate) "
        line +=
            [window.openAt, window.dueAt, window.closeAt].map(localTime).joined(separator: " – ")
            + " (\(offset))"
        if occasion.isDSTAdjusted { line += " adjusted" }
        if let exclusion = occasion.exclusion { line += " \(exclusion.rawValue)" }
        return line
    }.joined(separator: "\n")
}
