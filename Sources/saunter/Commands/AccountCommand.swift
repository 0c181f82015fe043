import ArgumentParser
import Foundation
import SaunterCore
import SaunterStore

/// People who work with a study's data: made and given their roles here, by whoever runs the server.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Make accounts, and give roles in studies.",
        discussion: """
            Participants register themselves. A researcher sees the pseudonymous data of a study, a coordinator also who \
            its participants are, an admin accounts and no answers.

            Example: saunter account create --email rosa@example.org --name "Rosa Field" \
            --role researcher --study mindful-walking
            """,
        subcommands: [CreateAccount.self, GrantRole.self, RevokeRole.self, ShowAccount.self])
}

/// `saunter account create`.
struct CreateAccount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an account.",
        discussion: """
            Without --password-file the password is asked for at a terminal; elsewhere one is made up and printed once.

            Example: saunter account create --email rosa@example.org --name "Rosa Field" \
            --role researcher --study mindful-walking --password-file rosa.txt
            """)

    @Option(help: "The address to log in with.") var email: String
    @Option(help: "How mails address the person.") var name: String
    @Option(help: "A file that holds the password; - for standard input.") var passwordFile: String?
    @Option(help: "A language for mails, such as de.") var language: String?
    @Option(help: "A first role.") var role: Role?
    @Option(help: "The study of that role; * for all, which only an admin has.") var study: String?
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        // What people who register by themselves are held to: mail goes to no other address, and names stand in its lines.
        guard StringFormat.email.takes(email) else {
            throw ValidationError("--email is a mail address such as rosa@example.org")
        }
        guard (1...200).contains(name.count), StringFormat.line.takes(name) else {
            throw ValidationError("--name is one line of 1 to 200 characters")
        }
        if role == nil, study != nil { throw ValidationError("--study needs a --role") }
    }

    func run() async throws {
        let settings = try options.settings()
        let grant = try role.map { try Grant($0, study: study) }
        let password = try NewPassword(file: passwordFile)
        let account = Account(
            id: AccountID(UUID()), email: email, name: name,
            passwordHash: try await PasswordHashing().hash(password.text).text,
            zone: nil, language: language, createdAt: .current())
        try await StoreUse(settings: settings, purpose: .command, logger: .command(settings)).run { store in
            if let grant { try await store.demandStudy(of: grant) }
            do {
                try await store.insert(account)
            } catch AccountFault.emailTaken {
                throw CommandFault("there is an account with this address")
            }
            try await store.record(AuditEntry(actor: .system, action: "account_created"), at: .current())
            if let grant { try await store.give(grant, to: account.id) }
        }
        show(account, password)
    }

    private func show(_ account: Account, _ password: NewPassword) {
        if json {
            let made = JSON.optional(password.isMadeUp ? password.text : nil, JSON.string)
            Terminal.line(
                JSON.object(["account_id": .string(account.id.description), "password": made]).text)
        } else {
            Terminal.line("made the account of \(email)")
            if password.isMadeUp { Terminal.line("password: \(password.text)") }
        }
    }
}

/// `saunter account grant`.
struct GrantRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Give an account a role in a study.",
        discussion:
            "Example: saunter account grant --email rosa@example.org --role researcher --study mindful-walking"
    )

    @Option(help: "The account's address.") var email: String
    @Option(help: "researcher, coordinator or admin.") var role: Role
    @Option(help: "The study; * for all, which only an admin has.") var study: String?
    @Flag(help: "Also allow exports of the full profile.") var fullExport = false
    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try options.settings()
        let grant = try Grant(role, study: study, fullExport: fullExport)
        try await StoreUse(settings: settings, purpose: .command, logger: .command(settings)).run { store in
            try await store.demandStudy(of: grant)
            try await store.give(grant, to: try await store.demandAccount(email).id)
        }
        Terminal.line("\(email) is \(role.rawValue) of \(grant.study)")
    }
}

/// `saunter account revoke`.
struct RevokeRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a role in a study away.",
        discussion:
            "Example: saunter account revoke --email rosa@example.org --role researcher --study mindful-walking"
    )

    @Option(help: "The account's address.") var email: String
    @Option(help: "researcher, coordinator or admin.") var role: Role
    @Option(help: "The study; * for all.") var study: String?
    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try options.settings()
        let grant = try Grant(role, study: study)
        try await StoreUse(settings: settings, purpose: .command, logger: .command(settings)).run { store in
            let account = try await store.demandAccount(email)
            guard
                try await store.listGrants(account.id).contains(where: {
                    $0.role == role && $0.study == grant.study
                })
            else { throw CommandFault("\(email) is not \(role.rawValue) of \(grant.study)") }
            try await store.deleteGrant(role, study: grant.study, of: account.id)
            try await store.record(grant.audit("role_revoked", account.id), at: .current())
        }
        Terminal.line("\(email) is no longer \(role.rawValue) of \(grant.study)")
    }
}

/// `saunter account show`.
struct ShowAccount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account and its roles.",
        discussion: "Example: saunter account show --email rosa@example.org --json")

    @Option(help: "The account's address.") var email: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let (account, grants) = try await StoreUse(
            settings: settings, purpose: .command, logger: .command(settings)
        ).run { store in
            let account = try await store.demandAccount(email)
            return (account, try await store.listGrants(account.id))
        }
        if json {
            let shown: JSON = [
                "account_id": .string(account.id.description), "email": .string(account.email),
                "display_name": .string(account.name), "created_at": .string(account.createdAt.description),
                "grants": .array(
                    grants.map {
                        [
                            "role": .string($0.role.rawValue), "study": .string($0.study),
                            "full_export": .bool($0.fullExport),
                        ]
                    }),
            ]
            Terminal.line(shown.text)
        } else {
            Terminal.line("\(account.name) <\(account.email)>, since \(account.createdAt)")
            for grant in grants {
                Terminal.line(
                    "\(grant.role.rawValue) of \(grant.study)\(grant.fullExport ? ", full exports" : "")")
            }
        }
    }
}
