import Crypto
import Foundation

/// One arm of the study.
package struct Arm: Sendable, Hashable {
    /// Unique in the study.
    package var code: String
    /// Relative share, at least 1.
    package var ratio: Int

    /// Creates an arm with a relative share.
    package init(code: String, ratio: Int) {
        self.code = code
        self.ratio = ratio
    }
}

/// The rules for walks. Nil in `Study` if the study has no walks.
package struct WalkingRule: Sendable, Hashable {
    /// What the server does with a recording of a sport that is not a walk.
    package enum OtherSports: String, Sendable, Hashable, CaseIterable {
        /// Rejects the recording.
        case refuse
        /// Stores the recording with the flag `not_a_walk`.
        case flag
    }

    /// Whether walks need a calibration.
    package var requiresCalibration: Bool
    /// Permitted percentages by which a mindful walk is slower; inclusive bounds.
    package var reductionPercent: ClosedRange<Double>
    /// Arms in which the device signals that the target speed is exceeded.
    package var targetFeedbackArms: [String]
    /// What the server does with rides, swims and other sports.
    package var otherSports: OtherSports

    /// Creates a rule; by default walks of other sports are flagged.
    package init(
        requiresCalibration: Bool, reductionPercent: ClosedRange<Double>, targetFeedbackArms: [String],
        otherSports: OtherSports = .flag
    ) {
        self.requiresCalibration = requiresCalibration
        self.reductionPercent = reductionPercent
        self.targetFeedbackArms = targetFeedbackArms
        self.otherSports = otherSports
    }

    /// Whether the server stores a recording of this sport.
    package func accepts(_ sport: Sport) -> Bool { sport.isWalk || otherSports == .flag }
}

/// The licence of a work that the study uses, for display.
package struct LicenceNotice: Sendable, Hashable {
    /// The name of the work.
    package var name: String
    /// The name of the licence, or the terms of use.
    package var license: String
    /// The holder of the rights; nil if it is not stated.
    package var holder: String?
    /// The URL of the work or of its licence; nil if it is not stated.
    package var url: String?

    /// Creates a notice; by default without holder and URL.
    package init(name: String, license: String, holder: String? = nil, url: String? = nil) {
        self.name = name
        self.license = license
        self.holder = holder
        self.url = url
    }
}

/// One immutable version of a study.
package struct Study: Sendable, Hashable {
    /// `[a-z][a-z0-9-]*`, at most 40 characters. It is part of URLs.
    package var code: String
    /// Three numbers, such as `1.0.0`. A published version is immutable.
    package var version: String
    /// Version of the consent text. A changed text needs a new version.
    package var consentVersion: String
    /// Whether every account may enrol. Otherwise an enrolment code is necessary.
    package var openEnrolment: Bool
    /// Which accounts may enrol.
    package var accounts: AccountPolicy
    /// Language tags. The first is the default.
    package var languages: [String]
    /// Language tag -> texts.
    package var text: [String: StudyText]
    /// Fallback for participants without a known zone.
    package var zone: Zone
    /// Number of the last day. The day of enrolment is day 0, so the study has `days + 1` dates.
    package var days: Int
    /// At least one, in the order of the pack.
    package var arms: [Arm]
    /// How participants are allocated to the arms.
    package var allocation: Allocation
    /// Parts of the study to which schedules can be bound.
    package var phases: [Phase]
    /// Events that participants report. Schedules and phases can count from them.
    package var events: [StudyEvent]
    /// When which questionnaire is asked.
    package var schedules: [Schedule]
    /// In the order of the overview.
    package var questionnaires: [Questionnaire]
    /// The questionnaires that can be answered at any time, without an occasion, and their rules.
    package var anyTime: [AnyTimeRule]
    /// Codes of questionnaires whose newest sheet contains settings. They appear in no overview.
    package var settings: [String]
    /// The functions of the app, in the order of its navigation.
    package var features: [StudyFeature]
    /// The kinds of data that need the participant's own consent.
    package var dataKinds: [DataKind]
    /// The named values that are computed from a participant's own data.
    package var variables: [TailoringVariable]
    /// Nil if the study has no walks.
    package var walking: WalkingRule?
    /// Nil if the study sends no messages.
    package var reminder: ReminderRule?
    /// Rules for messages that do not belong to an occasion.
    package var notificationRules: [NotificationRule]
    /// What the server decides by itself at which point (`rules.yaml`).
    package var rules: [DecisionRule]
    /// Name -> https address. A name is a placeholder in the targets of messages.
    package var links: [String: String]
    /// Researchers are alerted if a participant's adherence falls below this percentage. Nil = no alerts.
    package var lowAdherencePercent: Int?
    /// The number of participants whom the study team wants to enrol. It does not limit the enrolment. Nil = none.
    package var target: Int?
    /// Notices for the works that the study uses.
    package var licences: [LicenceNotice]
    /// The sources of the covariates of scoring keys.
    package var covariates: [CovariateSource]
    /// The licence and the contributors that a dataset states.
    package var dataset: DatasetDescription
    /// How the app of the study looks.
    package var brand: StudyBrand
    /// What participants can buy or be given, in the order of the pack.
    package var entitlements: [Entitlement]

    /// Creates a study without checking it; `checked()` does that.
    package init(
        code: String, version: String, consentVersion: String, openEnrolment: Bool, languages: [String],
        text: [String: StudyText], zone: Zone, days: Int, arms: [Arm], allocation: Allocation,
        phases: [Phase] = [], events: [StudyEvent] = [],
        schedules: [Schedule], questionnaires: [Questionnaire], anyTime: [AnyTimeRule] = [],
        settings: [String] = [], features: [StudyFeature] = [], dataKinds: [DataKind] = [],
        variables: [TailoringVariable] = [], walking: WalkingRule? = nil, reminder: ReminderRule? = nil,
        notificationRules: [NotificationRule] = [], rules: [DecisionRule] = [], links: [String: String] = [:],
        lowAdherencePercent: Int? = nil, target: Int? = nil, licences: [LicenceNotice] = [],
        covariates: [CovariateSource] = [], dataset: DatasetDescription = DatasetDescription(),
        brand: StudyBrand = StudyBrand(), accounts: AccountPolicy = AccountPolicy(),
        entitlements: [Entitlement] = []
    ) {
        self.code = code
        self.version = version
        self.consentVersion = consentVersion
        self.openEnrolment = openEnrolment
        self.accounts = accounts
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
        self.settings = settings
        self.features = features
        self.dataKinds = dataKinds
        self.variables = variables
        self.walking = walking
        self.reminder = reminder
        self.notificationRules = notificationRules
        self.rules = rules
        self.links = links
        self.lowAdherencePercent = lowAdherencePercent
        self.target = target
        self.licences = licences
        self.covariates = covariates
        self.dataset = dataset
        self.brand = brand
        self.entitlements = entitlements
    }

    /// Maximum length of a study in days: ten years.
    package static let maximumDays = 3660

    /// The questionnaire with this code. Nil if the study does not have it.
    package func questionnaire(_ code: String) -> Questionnaire? {
        questionnaires.first { $0.code == code }
    }
}

extension Study {
    /// SHA-256 of the consent text in a language, in hexadecimal digits. It records the exact text of a consent. Nil if
    /// the study does not have the language.
    package func consentDigest(in language: String) -> String? {
        text[language].map { text in
            Hex.encode(SHA256.hash(data: Data(text.consent.utf8)))
        }
    }
}

extension Study {
    /// Whether the study has this arm.
    package func hasArm(_ code: String) -> Bool { arms.contains { $0.code == code } }
}
