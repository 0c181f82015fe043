import ArgumentParser
import Console
import Foundation
import PrivateCluster
import SaunterCore
import SaunterServer
import SaunterStore

/// Creates accounts of researchers, coordinators, editors and admins, and grants roles. The operator of the server uses
/// it.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Create and list accounts, and grant roles in studies.",
        discussion: """
            Participants register themselves. A researcher sees the pseudonymous data of a study. A coordinator also sees the \
            identities of its participants. An editor changes what a study asks and says, and sees no data of \
            participants. An admin manages accounts and sees no answers.

            Example: saunter account create --email rosa@example.org --name "Rosa Field" \
            --role researcher --study mindful-walking
            """,
        subcommands: [
            CreateAccount.self, GrantRole.self, RevokeRole.self, ShowAccount.self, ListAccounts.self,
            CreateLoginLink.self,
        ])
}

/// `saunter account create`.
struct CreateAccount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an account.",
        discussion: """
            Without --password-file, the command asks for a password if standard input is a terminal. If it is not, the command \
            generates a password and prints it once. Until the account has confirmed the address with a mailed code, or has \
            reset its password, the address receives only mails with such codes.

            Example: saunter account create --email rosa@example.org --name "Rosa Field" \
            --role researcher --study mindful-walking --password-file rosa.txt
            """)

    @Option(help: "The mail address for the login.") var email: String
    @Option(help: "The name for mails to this account.") var name: String
    @Option(help: "A file that contains the password; - for standard input.") var passwordFile: String?
    @Option(help: "The language of mails, such as de.") var language: String?
    @Option(help: "The first role of the account.") var role: Role?
    @Option(help: "The study of the role; * for all studies, only for an admin.") var study: String?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        // The same rules as for registration: the address receives mail, and the name is part of a mail header.
        guard StringFormat.email.accepts(email) else {
            throw ValidationError("--email must be a mail address such as rosa@example.org")
        }
        guard (1...200).contains(name.count), StringFormat.line.accepts(name) else {
            throw ValidationError("--name must be one line of 1 to 200 characters")
        }
        if role == nil, study != nil { throw ValidationError("--study needs a --role") }
    }

    func run() async throws {
        let settings = try options.settings()
        let grant = try role.map { try Grant($0, study: study) }
        let password = try NewPassword(file: passwordFile)
        let account = Account(
            id: AccountID(UUID()), email: email, name: name,
            passwordHash: try await PasswordHasher().hash(password.text).text,
            zone: nil, language: language, createdAt: .current())
        try await StoreSession(settings: settings, user: .command, logger: .command(settings)).run {
            store in
            if let grant { try await store.checkStudyExists(of: grant) }
            do {
                try await store.insert(account)
            } catch AccountFault.emailTaken {
                throw CommandFault("an account with this address already exists")
            }
            try await store.record(
                AuditEntry(actor: .system, action: "account_created", account: account.id), at: .current())
            if let grant { try await store.grant(grant, to: account.id, by: .system, now: .current()) }
        }
        show(account, password)
    }

    private func show(_ account: Account, _ password: NewPassword) {
        if json {
            let generated = JSON.optional(password.isGenerated ? password.text : nil, JSON.string)
            Terminal.line(
                JSON.object(["account_id": .string(account.id.description), "password": generated]).text)
        } else {
            Terminal.line("created the account of \(email)")
            if password.isGenerated { Terminal.line("password: \(password.text)") }
        }
    }
}

/// `saunter account grant`.
struct GrantRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Grant an account a role in a study.",
        discussion:
            "Example: saunter account grant --email rosa@example.org --role researcher --study mindful-walking"
    )

    @Option(help: "The account's address.") var email: String
    @Option(help: "researcher, coordinator, editor or admin.") var role: Role
    @Option(help: "The study; * for all studies, only for an admin.") var study: String?
    @Flag(help: "Also allow exports of the full profile.") var fullExport = false
    @Flag(help: "Also show the codes of arms if the study is blinded.") var seesArms = false
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let grant = try Grant(role, study: study, fullExport: fullExport, seesArms: seesArms)
        try await StoreSession(settings: settings, user: .command, logger: .command(settings)).run {
            store in
            try await store.checkStudyExists(of: grant)
            try await store.grant(
                grant, to: try await store.fetchAccount(email).id, by: .system, now: .current())
        }
        Terminal.line(json ? grant.json.text : "\(email) is \(role.rawValue) of \(grant.studyText)")
    }
}

/// `saunter account revoke`.
struct RevokeRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a role of an account in a study.",
        discussion: """
            If the account is then neither researcher nor coordinator of the study, its API tokens for the study are revoked too.

            Example: saunter account revoke --email rosa@example.org --role researcher --study mindful-walking
            """)

    @Option(help: "The account's address.") var email: String
    @Option(help: "researcher, coordinator, editor or admin.") var role: Role
    @Option(help: "The study; * for all studies.") var study: String?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let grant = try Grant(role, study: study)
        try await StoreSession(settings: settings, user: .command, logger: .command(settings)).run {
            store in
            let account = try await store.fetchAccount(email)
            let isRevoked = try await store.revoke(
                role, study: grant.study, of: account.id, by: .system, now: .current())
            guard isRevoked else {
                throw CommandFault("\(email) is not \(role.rawValue) of \(grant.studyText)")
            }
        }
        Terminal.line(
            json ? grant.json.text : "\(email) is no longer \(role.rawValue) of \(grant.studyText)")
    }
}

/// `saunter account show`.
struct ShowAccount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account, its roles, and the digest that represents it in the audit.",
        discussion: "Example: saunter account show --email rosa@example.org --json")

    @Option(help: "The account's address.") var email: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let (account, grants, auditRef) = try await StoreSession(
            settings: settings, user: .command, logger: .command(settings)
        ).run { store in
            let account = try await store.fetchAccount(email)
            return (
                account, try await store.listGrants(account.id), store.secrets.auditRef(of: account.id)
            )
        }
        if json {
            var shown = account.json(grants)
            shown["audit_ref"] = .string(auditRef)
            Terminal.line(JSON.object(shown).text)
        } else {
            Terminal.line("\(account.name) <\(account.email ?? email)>, since \(account.createdAt)")
            Terminal.line("in the audit: \(auditRef)")
            for grant in grants { Terminal.line(grant.text) }
        }
    }
}

/// `saunter account login-link`.
struct CreateLoginLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login-link",
        abstract: "Print a link that logs an account in once.",
        discussion: """
            The link opens the web app. It is valid for one day and works once. Give it only to the owner of the account: \
            it replaces the password.

            Example: saunter account login-link --email emil@example.org
            """)

    @Option(help: "The account's address.") var email: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let code = RandomToken.make()
        let now = Instant.current()
        let expiresAt = now.adding(seconds: WebSessions.linkLifetimeSeconds)
        try await StoreSession(settings: settings, user: .command, logger: .command(settings)).run {
            store in
            let account = try await store.fetchAccount(email)
            try await store.insertLoginLink(code.digest, of: account.id, now: now, expiresAt: expiresAt)
            try await store.record(
                AuditEntry(actor: .system, action: "login_link_created", account: account.id), at: now)
        }
        let link = "\(settings.server.publicURL)/login/\(code.text)"
        Terminal.line(
            json
                ? JSON.object(["link": .string(link), "expires_at": .string(expiresAt.description)]).text
                : link)
    }
}

/// `saunter account list`.
struct ListAccounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts that have a role.",
        discussion: """
            Participants have no role and are not listed.

            Example: saunter account list --json
            """)

    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let accounts = try await StoreSession(
            settings: settings, user: .command, logger: .command(settings)
        ).run { try await $0.listAccountsWithRoles() }
        if json {
            let items = accounts.map { JSON.object($0.account.json($0.grants)) }
            return Terminal.line(JSON.object(["items": .array(items)]).text)
        }
        var table = TextTable(["address", "name", "roles"])
        for (account, grants) in accounts {
            table.append([account.email ?? "", account.name, grants.map(\.text).joined(separator: "; ")])
        }
        for line in table.lines { Terminal.line(line) }
    }
}

extension Account {
    /// The account with its roles as JSON.
    fileprivate func json(_ grants: [Grant]) -> JSONObject {
        [
            "account_id": .string(id.description), "email": .optional(email, JSON.string),
            "display_name": .string(name),
            "created_at": .string(createdAt.description), "grants": .array(grants.map(\.json)),
        ]
    }
}

extension Grant {
    fileprivate var json: JSON {
        [
            "role": .string(role.rawValue), "study": .string(study), "full_export": .bool(fullExport),
            "sees_arms": .bool(seesArms),
        ]
    }

    fileprivate var text: String {
        "\(role.rawValue) of \(studyText)\(fullExport ? ", full exports" : "")\(seesArms ? ", sees arms" : "")"
    }

    fileprivate var studyText: String { study == "*" ? "all studies" : study }
}
