import SaunterCore
import Testing

@Suite struct `saunter account` {
    private static let rosa = ["--email", "rosa@example.org"]
    private static let create = ["account", "create", "--name", "Rosa Field"] + rosa

    @Test func `an account is created once, with a generated password`() async throws {
        try await CommandDatabase.with { database in
            let first = try await database.saunter(Self.create + ["--json"])
            let second = try await database.saunter(Self.create)

            let password = try JSONReader.read(first.output)["password"]?.string
            #expect(first.status == 0)
            #expect(password?.count == 20)
            #expect(second.status == 1)
            #expect(second.errors == "saunter: an account with this address already exists\n")
        }
    }

    @Test(arguments: ["rosa", "rosa@", "rosa@exam ple.org", "rosa@example.org\r\nBcc: eve@example.org"])
    func `an invalid mail address is rejected`(email: String) async throws {
        let run = try await CommandRun.saunter(
            ["account", "create", "--name", "Rosa Field", "--email", email])

        #expect(run.status == 2)
        #expect(run.errors.contains("--email must be a mail address"))
    }

    @Test func `a name with two lines is rejected`() async throws {
        let run = try await CommandRun.saunter(
            ["account", "create", "--name", "Rosa\nField"] + Self.rosa)

        #expect(run.status == 2)
        #expect(run.errors.contains("--name must be one line"))
    }

    @Test func `roles are granted for studies that exist, shown and revoked`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let role = ["--role", "researcher", "--study", "mindful-walking"] + Self.rosa
            _ = try await database.saunter(Self.create)

            let unknown = try await database.saunter(
                ["account", "grant", "--role", "researcher", "--study", "mindful"] + Self.rosa)
            let given = try await database.saunter(["account", "grant"] + role)
            let shown = try await database.saunter(["account", "show", "--json"] + Self.rosa)
            let taken = try await database.saunter(["account", "revoke"] + role)
            let again = try await database.saunter(["account", "revoke"] + role)

            #expect(unknown.errors == "saunter: there is no study mindful: there are mindful-walking\n")
            #expect(given.status == 0)
            let account = try JSONReader.read(shown.output)
            #expect(account["audit_ref"]?.string?.count == 32)
            #expect(
                account["grants"] == [
                    [
                        "role": "researcher", "study": "mindful-walking", "full_export": false,
                        "sees_arms": false,
                    ]
                ])
            #expect(taken.status == 0)
            #expect(again.status == 1)
        }
    }

    @Test func `accounts, studies and the audit are listed`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            _ = try await database.saunter(
                Self.create + ["--role", "researcher", "--study", "mindful-walking"])

            let accounts = try await database.saunter(["account", "list"])
            let studies = try await database.saunter(["study", "list", "--json"])
            let audit = try await database.saunter(["audit", "--action", "role_granted", "--json"])
            let other = try await database.saunter(["audit", "--study", "nothing"])

            #expect(accounts.lines.count == 2)
            #expect(accounts.output.contains("rosa@example.org  Rosa Field  researcher of mindful-walking"))
            let study = try JSONReader.read(studies.output)["items"]?.array?.first
            #expect(study?["study"] == "mindful-walking" && study?["versions"] == ["1.0.0"])
            #expect(audit.lines.count == 1)
            let entry = try JSONReader.read(audit.output)
            #expect(entry["action"] == "role_granted" && entry["study"] == "mindful-walking")
            #expect(!audit.output.contains("rosa@"))
            #expect(other.status == 0 && other.output.isEmpty)
        }
    }

    @Test(arguments: ["researcher", "coordinator"])
    func `only an admin can have a role in all studies`(role: String) async throws {
        try await CommandDatabase.with { database in
            _ = try await database.saunter(Self.create)

            let refused = try await database.saunter(
                ["account", "grant", "--role", role, "--study", "*"] + Self.rosa)
            let admin = try await database.saunter(["account", "grant", "--role", "admin"] + Self.rosa)

            #expect(refused.status == 2)
            #expect(admin.output == "rosa@example.org is admin of all studies\n")
        }
    }

    @Test(arguments: ["short", ""])
    func `a password that is too short is rejected`(password: String) async throws {
        try await CommandDatabase.with { database in
            let file = try database.folder.file("password", password + "\n")

            let run = try await database.saunter(Self.create + ["--password-file", file])

            #expect(run.status == 1)
            #expect(run.errors == "saunter: a password must have 8 to 256 characters\n")
        }
    }

    @Test func `a common password is rejected`() async throws {
        try await CommandDatabase.with { database in
            let file = try database.folder.file("password", "Password123\n")

            let run = try await database.saunter(Self.create + ["--password-file", file])

            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("saunter: choose a password that is not common"))
        }
    }
}
