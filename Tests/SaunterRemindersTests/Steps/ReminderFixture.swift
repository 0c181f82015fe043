import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterStore
import SaunterTesting
import Synchronization

@testable import SaunterReminders

/// A database with a small study: a questionnaire each evening from 18:00 to 04:00, a mail at 19:00, quiet from 22:00 to 07:00.
struct ReminderFixture {
    /// Noon of the day of enrolment.
    static let noon = Instant("2026-11-21T12:00:00.000Z") ?? .minimum
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let store: Store
    let owner: Pool
    let outbox = Outbox()
    /// Who answers pushes and webhooks.
    let world = World()
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
                guard code != "broken" else { throw UnreadableStudy() }
                let first = special[code] ?? study(code)
                return files["study.yaml"] == yaml(code, "2.0.0") ? second(first) : first
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
            allocation: Allocation(blockSizes: [2], concealed: true),
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

    /// The same without a daily mail: each evening at 18:00, half an hour later, and two hours before its end at 04:00, which is quiet.
    static let prompted: Study = {
        var study = ReminderFixture.study("prompted")
        study.schedules[0].prompts = [.atOpen, .afterOpen(seconds: 1800), .beforeClose(seconds: 7200)]
        study.reminder?.at = nil
        study.notices = [NoticeRule(code: "silent", trigger: .inactivity, firstAfter: 5 * 86_400)]
        study.text["en"]?.notices = [
            "silent": CourseStep(title: "Are you there?", text: "Dear {{name}}")
        ]
        study.text["en"]?.promptSubject = "{{count}} until {{closes}}"
        study.text["en"]?.promptBody = "{{name}}"
        return study
    }()

    /// Each evening at 18:00, and again an hour after a message that nobody's device confirmed.
    static let resending: Study = {
        var study = prompted
        study.code = "resending"
        study.schedules[0].prompts = [.atOpen]
        study.reminder?.resendAfter = 3600
        return study
    }()

    /// As `prompted`, one message a day at most.
    static let capped: Study = {
        var study = prompted
        study.code = "capped"
        study.reminder?.mostPerDay = 1
        return study
    }()

    /// One questionnaire for three days, from 18:00 of the day of enrolment on.
    static let patient: Study = {
        var study = prompted
        study.code = "patient"
        study.notices = []
        study.schedules = [
            Schedule(
                id: "once", questionnaire: "daily_evening", recurrence: .once,
                slots: [Slot(opening: .fixed(hour(18)), dueAfter: 3 * 86_400, closeAfter: 3 * 86_400)])
        ]
        study.schedules[0].prompts = [.atOpen]
        return study
    }()

    /// Two questionnaires at 18:00, one of them for an hour.
    static let unequal: Study = {
        var study = prompted
        study.code = "unequal"
        study.schedules[0].prompts = [.atOpen]
        var short = Schedule(
            id: "short", questionnaire: "daily_short", recurrence: .every(days: 1, untilDay: 28),
            slots: [Slot(opening: .fixed(hour(18)), dueAfter: 1800, closeAfter: 3600)])
        short.prompts = [.atOpen]
        study.schedules.append(short)
        return study
    }()

    /// A second version, which asks something else in the morning and nothing in the evening.
    private static func second(_ first: Study) -> Study {
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

    /// Publishes the second version, and everybody follows it.
    func publishSecond(of code: String, at now: Instant) async throws {
        let study = Self.second(Self.special[code] ?? Self.study(code))
        _ = try await store.publish(
            Publication(
                study: code, version: study.version, digest: "d2",
                files: ["study.yaml": Self.yaml(code, study.version)], instruments: []), now: now)
        _ = try await store.moveEnrolled(to: study, now: now)
    }

    private static let special = [
        "prompted": prompted, "resending": resending, "capped": capped, "patient": patient,
        "unequal": unequal,
    ]

    private static func hour(_ hour: Int) -> LocalTime {
        LocalTime(hour: hour, minute: 0) ?? .midnight
    }

    /// A moment of the day of enrolment, or of a later one.
    static func at(_ hour: Int, _ minute: Int = 0, day: Int = 0) -> Instant {
        noon.adding(seconds: ((hour - 12) * 60 + minute) * 60 + day * 86_400)
    }

    @discardableResult
    func enrol(in code: String = "walks") async throws -> (account: AccountID, id: EnrolmentID) {
        let study = Self.special[code] ?? Self.study(code)
        _ = try await store.publish(
            Publication(
                study: code, version: "1.0.0", digest: "d",
                files: ["study.yaml": Self.yaml(code, "1.0.0")], instruments: []), now: Self.noon)
        let account = AccountID(UUID())
        try await store.insert(
            Account(
                id: account, email: "\(account)@example.org", name: "Ada", passwordHash: "hash", zone: nil,
                language: "en", createdAt: Self.noon))
        let enrolled = try await store.enrol(
            EnrolmentDraft(
                id: EnrolmentID(UUID()), account: account, study: study, participantID: "P-\(account)",
                zone: .utc, language: "en", seed: [1], requestID: nil), now: Self.noon)
        return (account, enrolled.enrolment.id)
    }

    var channels: Channels {
        Channels(
            mail: outbox.channel,
            push: PushSender(
                key: VAPIDKey(store.secrets), contact: "mailto:study@example.org", caller: world.caller,
                logger: Self.logger),
            webhook: WebhookSender(caller: world.caller, logger: Self.logger))
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

    /// The column `value` of a query past the store.
    func values(_ sql: String) async throws -> [String] {
        try await owner.query(Statement(name: "values", sql: sql), []).map { try $0.get("value") }
    }

    /// The states of all reminders, oldest first.
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

/// Stands in for push services and receivers of webhooks: keeps what is sent, and answers as it is told.
final class World: Sendable {
    private let state = Mutex(
        (posts: [OutwardPost](), answers: [OutwardReply](), always: OutwardReply.status(201, retryAfter: nil))
    )

    var posts: [OutwardPost] { state.withLock { $0.posts } }

    /// The next answers; then the usual one.
    func answer(_ replies: OutwardReply...) { state.withLock { $0.answers += replies } }

    func answerAll(_ reply: OutwardReply) { state.withLock { $0.always = reply } }

    var caller: OutwardCaller {
        OutwardCaller { [self] post in
            state.withLock { state in
                state.posts.append(post)
                return state.answers.isEmpty ? state.always : state.answers.removeFirst()
            }
        }
    }
}

/// Stands in for the mail server: keeps what is handed in, and answers as it is told.
final class Outbox: Sendable {
    private let state = Mutex((sent: [Delivery](), answers: [DeliveryOutcome]()))
    /// Awaited by each delivery before it ends.
    private let gate = Mutex<(@Sendable () async -> Void)?>(nil)

    var sent: [Delivery] { state.withLock { $0.sent } }

    /// The next answers; then everything is accepted.
    func answer(_ outcomes: DeliveryOutcome...) { state.withLock { $0.answers += outcomes } }

    func hold(_ wait: @escaping @Sendable () async -> Void) { gate.withLock { $0 = wait } }

    var channel: Channel {
        Channel(name: "test") { [self] delivery in
            let outcome = state.withLock { state in
                state.sent.append(delivery)
                return state.answers.isEmpty ? .accepted : state.answers.removeFirst()
            }
            await gate.withLock { $0 }?()
            return outcome
        }
    }
}
