import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterStore
import SaunterTesting
import Synchronization

@testable import SaunterReminders

/// A database with a small study: one questionnaire each evening from 18:00 to 04:00, a daily mail at 19:00, and quiet
/// hours from 22:00 to 07:00.
struct ReminderFixture {
    /// Noon of the day of enrolment, in UTC.
    static let noon = Instant("2026-11-21T12:00:00.000Z") ?? .minimum
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let store: Store
    let owner: Pool
    let mailServer = FakeMailServer()
    /// The push services and the receivers of webhooks.
    let receivers = FakeReceivers()
    private let catalogue: StudyCatalogue
    private let database: TestDatabase

    private static let template = Task {
        let template = try await TestCluster.makeTemplate()
        try await Migrations.apply(to: ConnectionString(template.connectionString), logger: logger)
        return template.name
    }

    static func with(_ body: (ReminderFixture) async throws -> Void) async throws {
        let database = try await TestCluster.makeDatabase(template: await template.value)
        let url = try ConnectionString(database.connectionString)
        let store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), connections: 4, logger: logger
        )
        let fixture = ReminderFixture(
            store: store, owner: Pool(connectionString: url, size: 2, name: "owner", logger: logger),
            catalogue: StudyCatalogue(store: store) { files, code in
                guard code != "unreadable" else { throw UnreadableStudy() }
                let first = specialStudies[code] ?? study(code)
                return files["study.yaml"] == yaml(code, "2.0.0") ? secondVersion(of: first) : first
            }, database: database)
        do {
            try await body(fixture)
        } catch {
            try await fixture.tearDown()
            throw error
        }
        try await fixture.tearDown()
    }

    private func tearDown() async throws {
        await store.close()
        await owner.close()
        try await database.drop()
    }

    private struct UnreadableStudy: Error {}

    static func study(_ code: String = "walks") -> Study {
        Study(
            code: code, version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: [
                "en": StudyText(
                    title: "Walks", summary: "", consent: "", course: [], reminderSubject: "Due: {count}",
                    reminderBody: "{name} {items} {url}")
            ],
            zone: .utc, days: 28, arms: [Arm(code: "one", ratio: 1), Arm(code: "two", ratio: 1)],
            allocation: Allocation(blockSizes: [2], isConcealed: true),
            schedules: [
                Schedule(
                    id: "evening", questionnaire: "daily_evening", recurrence: .every(days: 1, untilDay: 28),
                    slots: [Slot(opening: .fixed(hour(18)), dueAfter: 3 * 3600, closeAfter: 10 * 3600)])
            ],
            questionnaires: [],
            walking: WalkingRule(
                requiresCalibration: true, reductionPercent: 0...50, targetFeedbackArms: []),
            reminder: ReminderRule(at: hour(19), quietFrom: hour(22), quietTo: hour(7)))
    }

    /// The same study without the daily mail. It sends reminders of each occasion at 18:00, at 18:30, and at 02:00, two
    /// hours before the occasion closes. 02:00 is in quiet hours.
    static let perOccasion: Study = {
        var study = ReminderFixture.study("per_occasion")
        study.schedules[0].reminders = [.atOpen, .afterOpen(seconds: 1800), .beforeClose(seconds: 7200)]
        study.reminder?.at = nil
        study.notificationRules = [
            NotificationRule(code: "inactive", trigger: .inactivity, firstAfter: 5 * 86_400)
        ]
        study.text["en"]?.notificationTexts = [
            "inactive": TitledText(title: "Are you there?", text: "Dear {{name}}")
        ]
        study.text["en"]?.occasionSubject = "{{count}} until {{closes}}"
        study.text["en"]?.occasionBody = "{{name}}"
        return study
    }()

    /// Sends a reminder each evening at 18:00, and resends it one hour later if no device has confirmed it.
    static let resending: Study = {
        var study = perOccasion
        study.code = "resending"
        study.schedules[0].reminders = [.atOpen]
        study.reminder?.resendAfter = 3600
        return study
    }()

    /// Like `perOccasion`, but with at most one message per day.
    static let dailyMaximum: Study = {
        var study = perOccasion
        study.code = "daily_maximum"
        study.reminder?.maximumPerDay = 1
        return study
    }()

    /// One occasion that is open for three days, from 18:00 on the day of enrolment.
    static let longWindow: Study = {
        var study = perOccasion
        study.code = "long_window"
        study.notificationRules = []
        study.schedules = [
            Schedule(
                id: "once", questionnaire: "daily_evening", recurrence: .once,
                slots: [Slot(opening: .fixed(hour(18)), dueAfter: 3 * 86_400, closeAfter: 3 * 86_400)])
        ]
        study.schedules[0].reminders = [.atOpen]
        return study
    }()

    /// Two questionnaires open at 18:00. One of them closes after one hour.
    static let twoWindows: Study = {
        var study = perOccasion
        study.code = "two_windows"
        study.schedules[0].reminders = [.atOpen]
        var short = Schedule(
            id: "short", questionnaire: "daily_short", recurrence: .every(days: 1, untilDay: 28),
            slots: [Slot(opening: .fixed(hour(18)), dueAfter: 1800, closeAfter: 3600)])
        short.reminders = [.atOpen]
        study.schedules.append(short)
        return study
    }()

    /// A version with another questionnaire in the morning and none in the evening.
    private static func secondVersion(of first: Study) -> Study {
        var study = first
        study.version = "2.0.0"
        study.schedules = [
            Schedule(
                id: "morning", questionnaire: "daily_morning", recurrence: .every(days: 1, untilDay: 28),
                slots: [Slot(opening: .fixed(hour(8)), dueAfter: 3600, closeAfter: 7200)])
        ]
        return study
    }

    private static func yaml(_ code: String, _ version: String) -> String {
        "code: \(code)\nversion: \(version)\n"
    }

    /// Publishes the second version and moves all enrolments to it.
    func publishSecondVersion(of code: String, at now: Instant) async throws {
        let study = Self.secondVersion(of: Self.specialStudies[code] ?? Self.study(code))
        _ = try await store.publish(
            Publication(
                study: code, version: study.version, digest: "d2",
                files: ["study.yaml": Self.yaml(code, study.version)], instruments: []), now: now)
        _ = try await store.moveEnrolments(to: study, now: now)
    }

    /// A study that admits anonymous accounts, and keeps unused ones for so many days.
    private static func keeping(_ code: String, days: Int?, reset: String?) -> Study {
        var study = ReminderFixture.study(code)
        study.accounts = AccountPolicy(kinds: [.anonymous, .registered], anonymousKeptDays: days)
        study.links["reset"] = reset
        return study
    }

    /// A new anonymous account that is enrolled in these studies.
    func startAnonymous(in studies: [String]) async throws -> AccountID {
        let account = Account(anonymous: AccountID(UUID()), zone: nil, language: "en", createdAt: Self.noon)
        try await store.insert(account)
        for study in studies { try await enrol(in: study, account: account.id) }
        return account.id
    }

    private static let specialStudies = [
        "kept_30": keeping("kept_30", days: 30, reset: "https://app.example.org/reset#{{code}}"),
        "kept_400": keeping("kept_400", days: 400, reset: "https://other.example.org/{{code}}"),
        "kept": keeping("kept", days: nil, reset: nil), "per_occasion": perOccasion, "resending": resending,
        "daily_maximum": dailyMaximum,
        "long_window": longWindow, "two_windows": twoWindows,
    ]

    private static func hour(_ hour: Int) -> LocalTime {
        LocalTime(hour: hour, minute: 0) ?? .midnight
    }

    /// The instant at this time of day in UTC, on the day of enrolment or `day` days later.
    static func at(_ hour: Int, _ minute: Int = 0, day: Int = 0) -> Instant {
        noon.adding(seconds: ((hour - 12) * 60 + minute) * 60 + day * 86_400)
    }

    @discardableResult
    func enrol(
        in code: String = "walks", isVerified: Bool = true, account known: AccountID? = nil
    ) async throws -> (account: AccountID, id: EnrolmentID) {
        let study = Self.specialStudies[code] ?? Self.study(code)
        _ = try await store.publish(
            Publication(
                study: code, version: "1.0.0", digest: "d",
                files: ["study.yaml": Self.yaml(code, "1.0.0")], instruments: []), now: Self.noon)
        let account = known ?? AccountID(UUID())
        if known == nil {
            try await store.insert(
                Account(
                    id: account, email: "\(account)@example.org", name: "Ada", passwordHash: "hash",
                    zone: nil,
                    language: "en", createdAt: Self.noon, emailVerifiedAt: isVerified ? Self.noon : nil))
        }
        let enrolled = try await store.enrol(
            EnrolmentDraft(
                id: EnrolmentID(UUID()), account: account, study: study,
                participantID: "P-\(account)-\(code)",
                zone: .utc, language: "en", seed: [1], requestID: nil), now: Self.noon)
        return (account, enrolled.enrolment.id)
    }

    var channels: Channels {
        Channels(
            mail: mailServer.channel,
            push: PushSender(
                key: VAPIDKey(store.secrets), contact: "mailto:study@example.org", client: receivers.client,
                logger: Self.logger),
            webhook: WebhookSender(client: receivers.client, logger: Self.logger))
    }

    var step: ReminderStep { step(channels) }

    func step(_ channels: Channels) -> ReminderStep {
        ReminderStep(
            store: store, catalogue: catalogue, channels: channels,
            publicURL: "https://s.example",
            logger: Self.logger)
    }

    func loop(at now: Instant) -> ReminderLoop {
        ReminderLoop(
            step: step, store: store, catalogue: catalogue, now: { now }, logger: Self.logger)
    }

    /// The column `value` of a query that does not use the store.
    func values(_ sql: String) async throws -> [String] {
        try await owner.query(Statement(name: "values", sql: sql), []).map { try $0.get("value") }
    }

    /// The state and the reason of each reminder, ordered by subject and planned time.
    func states() async throws -> [String] {
        try await owner.query(
            Statement(
                name: "states",
                sql:
                    "select concat_ws(' ', state, why) as value from research.reminder order by subject, planned_at"
            ),
            []
        ).map { try $0.get("value") }
    }
}

/// Replaces push services and receivers of webhooks. Stores each request and returns the configured outcomes.
final class FakeReceivers: Sendable {
    private let state = Mutex(
        (
            requests: [OutboundRequest](), nextOutcomes: [OutboundOutcome](),
            defaultOutcome: OutboundOutcome.status(201, retryAfter: nil)
        )
    )

    var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// Sets the outcomes of the next requests. Later requests have the default outcome.
    func answerNext(_ outcomes: OutboundOutcome...) { state.withLock { $0.nextOutcomes += outcomes } }

    /// Sets the default outcome.
    func answerAll(_ outcome: OutboundOutcome) { state.withLock { $0.defaultOutcome = outcome } }

    var client: OutboundClient {
        OutboundClient { [self] request in
            state.withLock { state in
                state.requests.append(request)
                return state.nextOutcomes.isEmpty ? state.defaultOutcome : state.nextOutcomes.removeFirst()
            }
        }
    }
}

/// Replaces the mail server. Stores each delivery and returns the configured outcomes.
final class FakeMailServer: Sendable {
    private let state = Mutex((sent: [MailDelivery](), nextOutcomes: [DeliveryOutcome]()))
    /// Each delivery waits for this function before it returns.
    private let beforeReply = Mutex<(@Sendable () async -> Void)?>(nil)

    var sent: [MailDelivery] { state.withLock { $0.sent } }

    /// Sets the outcomes of the next deliveries. Later deliveries are accepted.
    func answerNext(_ outcomes: DeliveryOutcome...) { state.withLock { $0.nextOutcomes += outcomes } }

    func beforeEachReply(_ wait: @escaping @Sendable () async -> Void) { beforeReply.withLock { $0 = wait } }

    var channel: MailChannel {
        MailChannel { [self] delivery in
            let outcome = state.withLock { state in
                state.sent.append(delivery)
                return state.nextOutcomes.isEmpty ? .accepted : state.nextOutcomes.removeFirst()
            }
            await beforeReply.withLock { $0 }?()
            return outcome
        }
    }
}
