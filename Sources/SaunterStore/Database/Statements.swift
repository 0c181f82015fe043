import Postgres

/// The named statements of one file in `sql/queries`. The files are embedded in the binary. Tests prepare every
/// statement against the schema, and check that every name is unique and that the code uses it.
package struct Statements: Sendable {
    private let byName: [String: Statement]

    init(_ file: [UInt8]) {
        do {
            byName = try Statement.parse(file: String(decoding: file, as: UTF8.self))
        } catch {
            preconditionFailure("a file of sql/queries cannot be read: \(error)")
        }
    }

    /// The statement with this name. An unknown name is a programming error, so it stops the program.
    package subscript(name: String) -> Statement {
        guard let statement = byName[name] else {
            preconditionFailure("this file of sql/queries has no statement \(name)")
        }
        return statement
    }

    /// All statements of the file, sorted by name.
    package var all: [Statement] { byName.values.sorted { $0.name < $1.name } }

    /// `sql/queries/accounts.sql`.
    package static let accounts = Statements(PackageResources.accounts_sql)
    /// `sql/queries/invitations.sql`.
    package static let invitations = Statements(PackageResources.invitations_sql)
    /// `sql/queries/web_sessions.sql`.
    package static let webSessions = Statements(PackageResources.web_sessions_sql)
    /// `sql/queries/tokens.sql`.
    package static let tokens = Statements(PackageResources.tokens_sql)
    /// `sql/queries/api_tokens.sql`.
    package static let apiTokens = Statements(PackageResources.api_tokens_sql)
    /// `sql/queries/studies.sql`.
    package static let studies = Statements(PackageResources.studies_sql)
    /// `sql/queries/study_drafts.sql`.
    package static let studyDrafts = Statements(PackageResources.study_drafts_sql)
    /// `sql/queries/enrolments.sql`.
    package static let enrolments = Statements(PackageResources.enrolments_sql)
    /// `sql/queries/enrolment_codes.sql`.
    package static let enrolmentCodes = Statements(PackageResources.enrolment_codes_sql)
    /// `sql/queries/entitlements.sql`.
    package static let entitlements = Statements(PackageResources.entitlements_sql)
    /// `sql/queries/erasures.sql`.
    package static let erasures = Statements(PackageResources.erasures_sql)
    /// `sql/queries/allocations.sql`.
    package static let allocations = Statements(PackageResources.allocations_sql)
    /// `sql/queries/unblindings.sql`.
    package static let unblindings = Statements(PackageResources.unblindings_sql)
    /// `sql/queries/consents.sql`.
    package static let consents = Statements(PackageResources.consents_sql)
    /// `sql/queries/occasions.sql`.
    package static let occasions = Statements(PackageResources.occasions_sql)
    /// `sql/queries/data_kinds.sql`.
    package static let dataKinds = Statements(PackageResources.data_kinds_sql)
    /// `sql/queries/answer_sheets.sql`.
    package static let answerSheets = Statements(PackageResources.answer_sheets_sql)
    /// `sql/queries/walks.sql`.
    package static let walks = Statements(PackageResources.walks_sql)
    /// `sql/queries/observations.sql`.
    package static let observations = Statements(PackageResources.observations_sql)
    /// `sql/queries/amendments.sql`.
    package static let amendments = Statements(PackageResources.amendments_sql)
    /// `sql/queries/devices.sql`.
    package static let devices = Statements(PackageResources.devices_sql)
    /// `sql/queries/device_changes.sql`.
    package static let deviceChanges = Statements(PackageResources.device_changes_sql)
    /// `sql/queries/own_data.sql`.
    package static let ownData = Statements(PackageResources.own_data_sql)
    /// `sql/queries/variables.sql`.
    package static let variables = Statements(PackageResources.variables_sql)
    /// `sql/queries/usage_events.sql`.
    package static let usageEvents = Statements(PackageResources.usage_events_sql)
    /// `sql/queries/content.sql`.
    package static let content = Statements(PackageResources.content_sql)
    /// `sql/queries/staff_messages.sql`.
    package static let staffMessages = Statements(PackageResources.staff_messages_sql)
    /// `sql/queries/rules.sql`.
    package static let rules = Statements(PackageResources.rules_sql)
    /// `sql/queries/reminders.sql`.
    package static let reminders = Statements(PackageResources.reminders_sql)
    /// `sql/queries/push_subscriptions.sql`.
    package static let pushSubscriptions = Statements(PackageResources.push_subscriptions_sql)
    /// `sql/queries/webhooks.sql`.
    package static let webhooks = Statements(PackageResources.webhooks_sql)
    /// `sql/queries/exports.sql`.
    package static let exports = Statements(PackageResources.exports_sql)
    /// `sql/queries/monitoring.sql`.
    package static let monitoring = Statements(PackageResources.monitoring_sql)
    /// `sql/queries/timeline.sql`.
    package static let timeline = Statements(PackageResources.timeline_sql)
    /// `sql/queries/changes.sql`.
    package static let changes = Statements(PackageResources.changes_sql)
    /// `sql/queries/audit.sql`.
    package static let audit = Statements(PackageResources.audit_sql)
    /// `sql/queries/rescorings.sql`.
    package static let rescorings = Statements(PackageResources.rescorings_sql)
    /// `sql/queries/migrations.sql`.
    package static let migrations = Statements(PackageResources.migrations_sql)
    /// `sql/queries/backup.sql`.
    package static let backup = Statements(PackageResources.backup_sql)

    /// All files, for the test that prepares every statement.
    package static let files: [Statements] = [
        accounts, invitations, webSessions, tokens, apiTokens, studies, studyDrafts, enrolments,
        enrolmentCodes, entitlements, erasures,
        allocations,
        unblindings, consents, occasions, dataKinds, answerSheets, walks, observations, amendments, devices,
        deviceChanges,
        variables, ownData, usageEvents, content, rules, staffMessages, reminders, pushSubscriptions,
        webhooks, exports, monitoring, timeline,
        changes, audit,
        rescorings, migrations, backup,
    ]
}
