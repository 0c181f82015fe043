import Postgres

/// The named statements of one file in `sql/queries`. The files are embedded in the binary. A test prepares every
/// statement against the schema and looks up every name that the code uses.
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
            preconditionFailure("sql/queries has no statement \(name)")
        }
        return statement
    }

    /// All statements of the file, sorted by name.
    package var all: [Statement] { byName.values.sorted { $0.name < $1.name } }

    package static let accounts = Statements(PackageResources.accounts_sql)
    package static let webSessions = Statements(PackageResources.web_sessions_sql)
    package static let tokens = Statements(PackageResources.tokens_sql)
    package static let apiTokens = Statements(PackageResources.api_tokens_sql)
    package static let studies = Statements(PackageResources.studies_sql)
    package static let enrolments = Statements(PackageResources.enrolments_sql)
    package static let enrolmentCodes = Statements(PackageResources.enrolment_codes_sql)
    package static let erasures = Statements(PackageResources.erasures_sql)
    package static let allocations = Statements(PackageResources.allocations_sql)
    package static let consents = Statements(PackageResources.consents_sql)
    package static let occasions = Statements(PackageResources.occasions_sql)
    package static let dataKinds = Statements(PackageResources.data_kinds_sql)
    package static let answerSheets = Statements(PackageResources.answer_sheets_sql)
    package static let walks = Statements(PackageResources.walks_sql)
    package static let observations = Statements(PackageResources.observations_sql)
    package static let amendments = Statements(PackageResources.amendments_sql)
    package static let devices = Statements(PackageResources.devices_sql)
    package static let deviceChanges = Statements(PackageResources.device_changes_sql)
    package static let ownData = Statements(PackageResources.own_data_sql)
    package static let variables = Statements(PackageResources.variables_sql)
    package static let usageEvents = Statements(PackageResources.usage_events_sql)
    package static let reminders = Statements(PackageResources.reminders_sql)
    package static let pushSubscriptions = Statements(PackageResources.push_subscriptions_sql)
    package static let webhooks = Statements(PackageResources.webhooks_sql)
    package static let exports = Statements(PackageResources.exports_sql)
    package static let changes = Statements(PackageResources.changes_sql)
    package static let audit = Statements(PackageResources.audit_sql)
    package static let rescorings = Statements(PackageResources.rescorings_sql)
    package static let migrations = Statements(PackageResources.migrations_sql)
    package static let backup = Statements(PackageResources.backup_sql)

    /// All files, for the test that prepares every statement.
    package static let files: [Statements] = [
        accounts, webSessions, tokens, apiTokens, studies, enrolments, enrolmentCodes, erasures, allocations, consents, occasions,
        dataKinds, answerSheets, walks, observations, amendments, devices, deviceChanges, variables, ownData, usageEvents, reminders,
        pushSubscriptions, webhooks, exports, changes, audit, rescorings, migrations, backup,
    ]
}
