import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import SaunterCore
import SaunterPacks
import SaunterReaders
import SaunterReminders
import SaunterTesting
import Testing

@testable import SaunterServer
@testable import SaunterStore

/// The complete server in this process: the real routes on a real PostgreSQL, with a fixed clock and without channels.
///
/// All tests of the process share one server and one database, so a test checks only data of participants that it
/// enrolled. The clock is fixed, so rate limits never refill: the process may send 200 registrations and 200 logins to
/// the routes. `withParticipant` uses neither.
struct ServerFixture: Sendable {
    /// A Saturday, 18:30 in `zone`, so the evening questionnaire is open.
    static let now = Instant("2026-11-21T17:30:00Z")!
    static let zone = Zone("Europe/Berlin")!
    /// The studies of which the server publishes version 1.0.0, with the folders that contain their packs.
    static let packs = [
        "mindful-walking": "Questionnaires", "training-or-waiting": "Questionnaires",
        "all-types": "Tests/Acceptance/packs/all-types",
        "pocket-diary": "Tests/Acceptance/packs/pocket-diary",
        "closed-diary": "Tests/Acceptance/packs/closed-diary",
        "small-steps": "Tests/Acceptance/packs/small-steps",
        "paid-practices": "Tests/Acceptance/packs/paid-practices",
        "hidden-arms": "Tests/Acceptance/packs/hidden-arms",
        "hidden-rules": "Tests/Acceptance/packs/hidden-rules",
        "open-door": "Tests/Acceptance/packs/open-door",
    ]

    let gateway: Gateway
    let store: Store
    private let accounts: AccountService

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// Limits concurrent enrolments. All tests start together, and enrolments of a study wait for each other. Without a
    /// limit, the last ones would wait for so long that the server answers 503.
    static let enrolmentPermits = TestPermits(8)
    /// Limits concurrent tests. They share the connections of one server, and wait at most ten seconds for one.
    private static let permits = TestPermits(16)
    /// Whether this test has a permit.
    @TaskLocal private static var hasPermit = false
    private static let shared = Task { try await ServerFixture() }

    /// The server that all tests share.
    static func running() async throws -> ServerFixture { try await shared.value }

    /// Runs the body with a caller who is not logged in.
    static func withCaller(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        let server = try await shared.value
        try await withPermit {
            let application = Application(responder: server.gateway, logger: logger)
            try await application.test(.router) { client async throws in
                try await body(APICaller(server: server, client: client))
            }
        }
    }

    private static func withPermit(_ body: () async throws -> Void) async throws {
        if hasPermit { return try await body() }
        await permits.acquire()
        do {
            try await $hasPermit.withValue(true) { try await body() }
        } catch {
            await permits.release()
            throw error
        }
        await permits.release()
    }

    /// Runs the body with a new participant who is logged in and enrolled.
    static func withParticipant(
        in study: String = "mindful-walking", _ body: @Sendable (APICaller) async throws -> Void
    ) async throws {
        try await withCaller { caller in
            var participant = caller
            participant.token = try await caller.server.makeLogin().accessToken
            try await participant.enrol(in: study)
            try await body(participant)
        }
    }

    /// Runs the body with a new researcher of a study who is logged in.
    static func withResearcher(
        of study: String = "mindful-walking", _ body: @Sendable (APICaller) async throws -> Void
    ) async throws {
        try await withCaller { caller in
            try await body(caller.researcher(of: study))
        }
    }

    private init() async throws {
        let database = try await TestCluster.makeDatabase()
        let url = try ConnectionString(database.connectionString)
        try await Migrations.apply(to: url, logger: Self.logger)
        store = Store(
            url, secrets: StoreSecrets(master: Array(repeating: 7, count: 32)), logger: Self.logger)
        for (study, folder) in Self.packs { try await Self.publish(study, from: folder, to: store) }
        let configuration = ServerConfiguration(
            host: "127.0.0.1", port: 0, publicURL: "https://s.example",
            dataDirectory: FileManager.default.temporaryDirectory.path,
            appStore: TestAppStore.shared.settings)
        gateway = try await SaunterApp(
            configuration: configuration, store: store, now: { Self.now }, channels: Channels(),
            additionalRoutes: readerRoutes, metrics: { "" }, logger: Self.logger
        ).gateway
        accounts = try Self.makeAccountService(store)
    }

    /// The accounts of another server on the same database, with separate limits.
    static func makeAccountService(_ store: Store) throws -> AccountService {
        AccountService(
            store: store, keys: KeyRing(store: store, issuer: "https://s.example"),
            revocations: RevocationList(store: store, now: { now }, logger: logger),
            passwords: try PasswordHasher(), audit: HourlyAudit(store: store, logger: logger))
    }

    /// Stores a pack and makes it the live version, as `saunter publish` does.
    private static func publish(_ code: String, from folder: String, to store: Store) async throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let files = try PackFiles.load(directory: "\(root)/\(folder)/studies/\(code)")
        let pack = try StudyPack.read(files, study: code)
        let instruments = pack.study.questionnaires.map { questionnaire in
            Publication.Instrument(
                code: questionnaire.code, version: questionnaire.version,
                digest: pack.instrumentDigests[questionnaire.code] ?? "", structure: questionnaire.json())
        }
        _ = try await store.publish(
            Publication(
                study: code, version: pack.study.version, digest: pack.digest, files: files.files,
                instruments: instruments),
            now: now)
    }

    /// The queued mails of an account by kind.
    func mails(of account: String) async throws -> [OutgoingMail.Kind: JSON] {
        guard let account = AccountID(account) else { return [:] }
        var found: [OutgoingMail.Kind: JSON] = [:]
        for row in try await store.identity.query(
            Statement(
                name: "mails_of_account",
                sql: "select kind, message_sealed from identity.outgoing_mail where account_id = $1"),
            [.id(account)])
        {
            guard let kind = OutgoingMail.Kind(rawValue: try row.get("kind")) else { continue }
            found[kind] = try JSONReader.read(
                store.secrets.open(row.get("message_sealed"), "mail", of: account))
        }
        return found
    }

    /// Logs in a new account. The account has no password, because hashing one takes 50 ms.
    func makeLogin(_ grant: Grant? = nil) async throws -> TokenPair {
        let account = try await makeAccount(passwordHash: "none")
        if let grant { try await store.upsert(grant, for: account.id, now: Self.now) }
        return try #require(await accounts.insertLogin(of: account, now: Self.now))
    }

    /// Stores a new account.
    func makeAccount(passwordHash: String) async throws -> Account {
        let id = AccountID(UUID())
        let account = Account(
            id: id, email: "\(id)@example.org", name: "Ada Canary", passwordHash: passwordHash, zone: nil,
            language: "en", createdAt: Self.now)
        try await store.insert(account)
        return account
    }

    /// The audit entries with this text in any column, each as `action` and its detail, in the order of their writing.
    /// - Parameter text: such as the result of `auditRef`.
    func auditEntries(containing text: String) async throws -> [String] {
        try await store.identity.query(
            Statement(
                name: "audit_entries",
                sql: """
                    select action || ' ' || detail::text as line from audit.entry
                    where strpos(entry::text, $1) > 0 order by entry_id
                    """), [.text(text)]
        ).map { try $0.get("line") }
    }

    /// All rows of the table of API tokens as one text.
    func storedAPITokens() async throws -> String {
        try await store.identity.query(
            Statement(
                name: "stored_api_tokens",
                sql: "select coalesce(string_agg(token::text, ' '), '') as text from identity.api_token token"
            )
        ).one().get("text")
    }

    /// All rows of the table of entitlements as one text.
    func storedEntitlements() async throws -> String {
        try await store.identity.query(
            Statement(
                name: "stored_entitlements",
                sql:
                    "select coalesce(string_agg(owned::text, ' '), '') as text from identity.entitlement owned"
            )
        ).one().get("text")
    }

    func makeHourlyAudit() -> HourlyAudit { HourlyAudit(store: store, logger: Self.logger) }

    /// The digest that represents the account in the audit.
    func auditRef(of account: AccountID) -> String { store.secrets.auditRef(of: account) }
}

extension Account {
    /// The address of a registered account.
    var address: String { email ?? "" }
}
