import SaunterCore

@testable import SaunterStore

/// A small study: a questionnaire every evening, one after each walk, two arms.
enum StudyFixture {
    static let study = make()

    static func make(code: String = "walks", version: String = "1.0.0", days: Int = 28) -> Study {
        let evening = Schedule(
            id: "evening", questionnaire: "daily_evening", recurrence: .every(days: 1, untilDay: days),
            slots: [Slot(opening: .fixed(hour(18)), dueAfter: 3 * 3600, closeAfter: 6 * 3600)])
        let afterWalk = Schedule(
            id: "after-walk", questionnaire: "after_walk", anchor: .walk, recurrence: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 1800, closeAfter: 4 * 3600)],
            isInDailyMail: false)
        return Study(
            code: code, version: version, consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: [
                "en": StudyText(
                    title: "Walks", summary: "", consent: "", course: [], reminderSubject: "",
                    reminderBody: "")
            ],
            zone: .utc, days: days,
            arms: [Arm(code: "experimental", ratio: 1), Arm(code: "control", ratio: 1)],
            allocation: Allocation(blockSizes: [2, 4], isConcealed: true), schedules: [evening, afterWalk],
            questionnaires: [],
            walking: WalkingRule(requiresCalibration: true, reductionPercent: 0...50, targetFeedbackArms: []),
            reminder: ReminderRule(at: hour(19), quietFrom: hour(22), quietTo: hour(7)))
    }

    static func publication(
        of study: Study = study, digest: String = "d1",
        files: [String: String] = ["study.yaml": "code: walks\n"],
        instruments: [Publication.Instrument] = []
    ) -> Publication {
        Publication(
            study: study.code, version: study.version, digest: digest, files: files, instruments: instruments)
    }

    static func hour(_ hour: Int) -> LocalTime { LocalTime(hour: hour, minute: 0) ?? .midnight }
}
