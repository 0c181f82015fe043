import Postgres
import SaunterCore

extension Store {
    /// A webhook is disabled after this many consecutive failures, if the first of them is older than `failingHours`.
    package static let maximumWebhookFailures = 10
    /// The age of the first failure, in hours, from which a webhook can be disabled.
    package static let failingHours = 24

    /// The webhook of a study, or nil.
    package func findWebhook(_ study: String) async throws -> StudyWebhook? {
        try await research.query(Statements.webhooks["find_webhook"], ["study": .text(study)]).oneOrNone()
            .map(webhook)
    }

    /// Sets the webhook and writes the audit entry. Earlier failures are reset.
    /// - Returns: whether the study had no webhook before.
    package func set(_ webhook: StudyWebhook, audit: AuditEntry) async throws -> Bool {
        let sealed = try secrets.seal(webhook: webhook.secret.revealed, of: webhook.study)
        return try await research.writeRetrying(idempotent: true) { transaction in
            let rows = try await transaction.query(
                Statements.webhooks["upsert_webhook"],
                [
                    "study": .text(webhook.study), "url": .text(webhook.url), "secret_sealed": .bytes(sealed),
                    "now": .instant(webhook.setAt),
                ])
            _ = try await transaction.pipeline([audit.call(at: webhook.setAt, secrets)])
            return try rows.one().get("is_new")
        }
    }

    /// Deletes the webhook and writes the audit entry.
    /// - Returns: false if there was none.
    package func deleteWebhook(_ study: String, audit: AuditEntry, now: Instant) async throws -> Bool {
        try await research.writeRetrying(idempotent: true) { transaction in
            guard
                try await !transaction.query(Statements.webhooks["delete_webhook"], ["study": .text(study)])
                    .isEmpty
            else { return false }
            _ = try await transaction.pipeline([audit.call(at: now, secrets)])
            return true
        }
    }

    /// Resets the failures of a webhook.
    package func recordSuccess(of webhook: StudyWebhook) async throws {
        _ = try await research.query(
            Statements.webhooks["record_webhook_success"],
            ["study": .text(webhook.study), "set_at": .instant(webhook.setAt)])
    }

    /// Counts a failure, and disables the webhook if the limits are reached.
    /// - Parameters:
    ///   - code: the HTTP status; nil if there was no response.
    ///   - isGone: the webhook answered 410, so it is disabled at once.
    package func recordFailure(of webhook: StudyWebhook, code: Int?, isGone: Bool, now: Instant) async throws
    {
        _ = try await research.query(
            Statements.webhooks["record_webhook_failure"],
            [
                "study": .text(webhook.study), "set_at": .instant(webhook.setAt), "now": .instant(now),
                "reply_code": .int(code), "is_gone": .bool(isGone),
                "maximum": .int(Self.maximumWebhookFailures),
                "failing_before": .instant(now.adding(seconds: -Self.failingHours * 3600)),
            ])
    }

    private func webhook(_ row: Row) throws -> StudyWebhook {
        let study: String = try row.get("study")
        var webhook = StudyWebhook(
            study: study, url: try row.get("url"),
            secret: Secret(try secrets.open(webhook: row.get("secret_sealed"), of: study)),
            setAt: try row.instant("set_at"))
        webhook.failures = try row.get("failures")
        webhook.failingSince = try row.instantOptional("failing_since")
        webhook.lastReplyCode = try row.getOptional("last_reply_code")
        webhook.disabledAt = try row.instantOptional("disabled_at")
        webhook.disabledReason = try row.valueOptional("disabled_why")
        return webhook
    }
}
