import Logging
import SaunterCore
import SaunterStore

/// Informs the study team of open alerts, and puts the broadcasts of coordinators into inboxes. Any number of workers
/// can run it concurrently.
struct StaffMessageStep: Sendable {
    /// The coordinators are informed at once, and again after this number of seconds.
    static let firstRepetition = 15 * 60
    /// Later they are informed again after this number of seconds, until one of them acknowledges the alert.
    static let repetition = 3600
    /// A broadcast to many participants must not hold up rules and alerts.
    private static let maximumParts = 10
    /// From the third time on, admins are informed too.
    static let noticesBeforeEscalation = 2

    let store: Store
    let catalogue: StudyCatalogue
    let logger: Logger

    /// - Returns: the number of alerts and of parts of broadcasts.
    func run(now: Instant) async throws -> Int {
        var count = 0
        for alert in try await store.listDueAlerts(now: now) {
            try await inform(of: alert, now: now)
            count += 1
        }
        var parts = 0
        while parts < Self.maximumParts, try await store.distributeBroadcast(now: now) { parts += 1 }
        return count + parts
    }

    private func inform(of alert: DueAlert, now: Instant) async throws {
        var staff = try await store.listAccounts(with: .coordinator, in: alert.study)
        if staff.isEmpty || alert.notices >= Self.noticesBeforeEscalation {
            let admins =
                try await store.listAccounts(with: .admin, in: alert.study)
                + store.listAccounts(with: .admin, in: Grant.allStudies)
            let known = Set(staff.map(\.id))
            staff += admins.filter { !known.contains($0.id) }
        }
        if staff.isEmpty {
            logger.critical(
                "an alert waits: the study has no coordinator, and the server has no admin",
                metadata: ["study": "\(alert.study)"])
        }
        let study = try await catalogue.find(alert.study, version: alert.studyVersion)?.study
        let title = study.flatMap { $0.text[$0.languages.first ?? ""]?.title } ?? alert.study
        try await store.inform(
            staff, of: alert, ["study": .string(title)],
            next: now.adding(seconds: alert.notices == 0 ? Self.firstRepetition : Self.repetition), now: now)
    }
}
