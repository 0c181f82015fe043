import Postgres
import SaunterCore

extension Store {
    /// Failures in a row, and the hours over which they must reach, after which a webhook is disabled.
    package static let mostWebhookFailures = 10
    package static let failingHours = 24

    package func findWebhook(_ study: String) async throws -> StudyWebhook? {
        try await research.query(Statements.webhooks["find_webhook"], [.text(study)]).oneOrNone().map(webhook)
    }

    /// Sets it, with its audit line; what had failed before is forgotten.
    /// - Returns: whether the study had none.
    package func set(_ webhook: StudyWebhook, audit: AuditEntry) async throws -> Bool {
        let sealed = try secrets.seal(webhook: webhook.secret, of: webhook.study)
        return try await research.writeRetrying(repeatable: true) { transaction in
            let rows = try await transaction.query(
                Statements.webhooks["upsert_webhook"],
                [.text(webhook.study), .text(webhook.url), .bytes(sealed), .instant(webhook.setAt)])
            _ = try await transaction.pipeline([audit.call(at: webhook.setAt)])
            return try rows.one().get("is_new")
        }
    }

    /// Takes it away, with its audit line.
    /// - Returns: false when there was none.
    package func deleteWebhook(_ study: String, audit: AuditEntry, now: Instant) async throws -> Bool {
        try await research.writeRetrying(repeatable: true) { transaction in
            guard
                try await !transaction.query(Statements.webhooks["delete_webhook"], [.text(study)]).isEmpty
            else { return false }
            _ = try await transaction.pipeline([audit.call(at: now)])
            return true
        }
    }

    package func noteSuccess(of webhook: StudyWebhook) async throws {
        _ = try await research.query(
            Statements.webhooks["note_webhook_success"], [.text(webhook.study), .instant(webhook.setAt)])
    }

    /// - Parameters:
    ///   - code: nil when there was no reply.
    ///   - isGone: it said so itself, and is disabled at once.
    package func noteFailure(of webhook: StudyWebhook, code: Int?, isGone: Bool, now: Instant) async throws {
        _ = try await research.query(
            Statements.webhooks["note_webhook_failure"],
            [
                .text(webhook.study), .instant(webhook.setAt), .instant(now), .int(code), .bool(isGone),
                .int(Self.mostWebhookFailures), .instant(now.adding(seconds: -Self.failingHours * 3600)),
            ])
    }

    private func webhook(_ row: Row) throws -> StudyWebhook {
        let study: String = try row.get("study")
        var webhook = StudyWebhook(
            study: study, url: try row.get("url"),
            secret: try secrets.open(webhook: row.get("secret_sealed"), of: study),
            setAt: try row.instant("set_at"))
        webhook.failures = try row.get("failures")
        webhook.failingSince = try row.instantOptional("failing_since")
        webhook.lastReplyCode = try row.getOptional("last_reply_code")
        webhook.disabledAt = try row.instantOptional("disabled_at")
        webhook.disabledWhy = try row.valueOptional("disabled_why")
        return webhook
    }
}
