/// One group that participants are allocated to.
package struct Arm: Sendable, Hashable {
    package var code: String
    /// Relative share, at least 1.
    package var ratio: Int

    package init(code: String, ratio: Int) {
        self.code = code
        self.ratio = ratio
    }
}

/// What the study asks of walks; nil in `Study` when it has none.
package struct WalkingRule: Sendable, Hashable {
    package var requiresCalibration: Bool
    /// Percent by which a mindful walk is slower; inclusive bounds of what a participant may choose.
    package var reductionPercent: ClosedRange<Double>
    /// Arms in which the device signals when the target speed is passed.
    package var targetFeedbackArms: [String]

    package init(
        requiresCalibration: Bool, reductionPercent: ClosedRange<Double>, targetFeedbackArms: [String]
    ) {
        self.requiresCalibration = requiresCalibration
        self.reductionPercent = reductionPercent
        self.targetFeedbackArms = targetFeedbackArms
    }
}

/// When people are reminded, and when they are left in peace.
package struct ReminderRule: Sendable, Hashable {
    /// The local hour of the daily mail to everybody who has something due, unless the participant chose another; nil = there is no such mail.
    package var at: LocalTime?
    /// No message in this span of local time, which may pass midnight.
    package var quietFrom: LocalTime
    package var quietTo: LocalTime
    /// So many messages on a local date and no more; nil = as many as there are.
    package var mostPerDay: Int?
    /// A message whose arrival no device confirms goes out again after so many seconds, at most twice; nil = never.
    package var resendAfter: Int?
    /// By which whoever enrols is reached until they wish otherwise, the first that can; at least one, each once.
    package var channels: [ReminderChannel]

    package init(
        at: LocalTime?, quietFrom: LocalTime, quietTo: LocalTime, mostPerDay: Int? = nil,
        resendAfter: Int? = nil, channels: [ReminderChannel] = [.mail]
    ) {
        self.at = at
        self.quietFrom = quietFrom
        self.quietTo = quietTo
        self.mostPerDay = mostPerDay
        self.resendAfter = resendAfter
        self.channels = channels
    }
}

package struct CourseStep: Sendable, Hashable {
    package var title: String
    package var text: String

    package init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}

package struct LicenceNotice: Sendable, Hashable {
    package var name: String
    package var license: String
    package var holder: String?
    package var url: String?

    package init(name: String, license: String, holder: String? = nil, url: String? = nil) {
        self.name = name
        self.license = license
        self.holder = holder
        self.url = url
    }
}

/// The words of a study in one language.
package struct StudyText: Sendable, Hashable {
    package var title: String
    package var summary: String
    /// Markdown.
    package var consent: String
    package var course: [CourseStep]
    /// Arm code -> title and guidance; not shown where allocation is concealed.
    package var arms: [String: CourseStep]
    /// Factor code -> what is asked at enrolment, and its answers.
    package var factors: [String: FactorText]
    /// The due-today mail; `{{name}}`, `{{study}}`, `{{count}}`, `{{titles}}` and `{{url}}` stand for
    /// themselves.
    package var reminderSubject: String
    package var reminderBody: String
    /// The message about single occasions, with `{{closes}}` beside those; empty = the words of the due-today mail.
    package var promptSubject: String
    package var promptBody: String
    /// What a device shows of messages about occasions, which others may see: empty = words that tell nothing of the study.
    package var notificationSubject: String
    package var notificationBody: String
    /// Notice code -> its words: the title as the subject, the text as the body, with `{{name}}`, `{{study}}` and `{{url}}`.
    package var notices: [String: CourseStep]

    package init(
        title: String, summary: String, consent: String, course: [CourseStep],
        arms: [String: CourseStep] = [:], factors: [String: FactorText] = [:],
        reminderSubject: String, reminderBody: String, promptSubject: String = "", promptBody: String = "",
        notificationSubject: String = "", notificationBody: String = "",
        notices: [String: CourseStep] = [:]
    ) {
        self.title = title
        self.summary = summary
        self.consent = consent
        self.course = course
        self.arms = arms
        self.factors = factors
        self.reminderSubject = reminderSubject
        self.reminderBody = reminderBody
        self.promptSubject = promptSubject
        self.promptBody = promptBody
        self.notificationSubject = notificationSubject
        self.notificationBody = notificationBody
        self.notices = notices
    }
}

/// One immutable version of a study: everything that the engine knows of it.
package struct Study: Sendable, Hashable {
    /// `[a-z][a-z0-9-]*`, at most 40 characters; stands in URLs.
    package var code: String
    package var version: String
    package var consentVersion: String
    /// Whoever has an account may enrol; else an enrolment code is needed.
    package var openEnrolment: Bool
    package var languages: [String]
    package var text: [String: StudyText]
    package var zone: Zone
    /// The number of the last day: the day of enrolment is day 0, so that it has this many dates and one more.
    package var days: Int
    package var arms: [Arm]
    package var allocation: Allocation
    /// Parts of the study that schedules can be bound to.
    package var phases: [Phase]
    /// What participants tell and schedules and phases count from.
    package var events: [StudyEvent]
    package var schedules: [Schedule]
    /// The questionnaires in the order of the overview.
    package var questionnaires: [Questionnaire]
    /// Codes of questionnaires that may be answered at any time, without an occasion.
    package var anyTime: [String]
    /// Of these, how often on one of the participant's days; whoever is not in it is not limited.
    package var anyTimeLimits: [String: Int]
    package var walking: WalkingRule?
    package var reminder: ReminderRule?
    /// Messages that no occasion asks for.
    package var notices: [NoticeRule]
    /// Staff are told of participants whose adherence falls below so many percent; nil = of nobody.
    package var lowAdherencePercent: Int?
    package var licences: [LicenceNotice]
    /// Where the covariates of scoring keys come from.
    package var covariates: [CovariateOrigin]

    package init(
        code: String, version: String, consentVersion: String, openEnrolment: Bool, languages: [String],
        text: [String: StudyText], zone: Zone, days: Int, arms: [Arm], allocation: Allocation,
        phases: [Phase] = [], events: [StudyEvent] = [],
        schedules: [Schedule], questionnaires: [Questionnaire], anyTime: [String] = [],
        anyTimeLimits: [String: Int] = [:], walking: WalkingRule? = nil, reminder: ReminderRule? = nil,
        notices: [NoticeRule] = [], lowAdherencePercent: Int? = nil, licences: [LicenceNotice] = [],
        covariates: [CovariateOrigin] = []
    ) {
        self.code = code
        self.version = version
        self.consentVersion = consentVersion
        self.openEnrolment = openEnrolment
        self.languages = languages
        self.text = text
        self.zone = zone
        self.days = days
        self.arms = arms
        self.allocation = allocation
        self.phases = phases
        self.events = events
        self.schedules = schedules
        self.questionnaires = questionnaires
        self.anyTime = anyTime
        self.anyTimeLimits = anyTimeLimits
        self.walking = walking
        self.reminder = reminder
        self.notices = notices
        self.lowAdherencePercent = lowAdherencePercent
        self.licences = licences
        self.covariates = covariates
    }

    /// The most days that a study lasts: ten years.
    package static let longestDays = 3660

    package func questionnaire(_ code: String) -> Questionnaire? {
        questionnaires.first { $0.code == code }
    }
}
