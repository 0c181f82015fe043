import ArgumentParser
import Console
import PrivateCluster
import SaunterCore
import SaunterStore

/// Shows the audit.
struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the audit: who did what and when.",
        discussion: """
            Prints the entries in the order in which they were written. The audit is append-only and contains no answers, \
            addresses or names. Accounts and enrolments appear as digests; saunter account show prints the digest of an account.

            Example: saunter audit --study mindful-walking --action role_granted --since 2026-11-01T00:00:00Z
            """)

    @Option(help: "Only entries of this study.") var study: String?
    @Option(help: "Only this action, such as role_granted.") var action: String?
    @Option(
        help: "Only entries since this instant in RFC 3339, such as 2026-11-21T09:00:00Z.",
        transform: ArgumentValue.instant)
    var since: Instant?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print one JSON object per line.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let filter = AuditFilter(study: study, action: action, since: since)
        try await StoreSession(settings: settings, user: .command, logger: .command(settings)).run { store in
            var after = 0
            while true {
                let page = try await store.listAuditEntries(filter, after: after)
                guard let last = page.last else { return }
                for entry in page { Terminal.line(json ? entry.json.text : entry.text) }
                after = last.id
            }
        }
    }
}

extension StoredAuditEntry {
    fileprivate var text: String {
        let who = actorRef.map { "\(actorKind) \($0)" } ?? actorKind
        let what = [study, enrolmentRef.map { "enrolment \($0)" }].compactMap { $0 }
        let details = detail.object?.isEmpty == false ? [detail.text] : []
        return ([recordedAt.description, who, action] + what + details).joined(separator: "  ")
    }

    fileprivate var json: JSON {
        [
            "entry_id": .int(id), "recorded_at": .string(recordedAt.description),
            "actor_kind": .string(actorKind), "actor_ref": .optional(actorRef, JSON.string),
            "action": .string(action), "study": .optional(study, JSON.string),
            "enrolment_ref": .optional(enrolmentRef, JSON.string),
            "request_id": .optional(requestID, JSON.string), "detail": detail,
        ]
    }
}
