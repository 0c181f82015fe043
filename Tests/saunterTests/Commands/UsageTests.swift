import Testing

@Suite struct `Usage of saunter` {
    @Test(arguments: [
        ["serve"], ["migrate"], ["check"], ["publish"], ["occasions"], ["account"], ["account", "create"],
        ["account", "grant"], ["account", "revoke"], ["account", "show"], ["account", "list"],
        ["study", "list"], ["enrolment-codes"],
        ["audit"], ["new"], ["print"], ["remind"], ["import-walk"],
        ["cohort"], ["simulate"], ["balance"], ["backup"], ["restore"], ["erasures"], ["import"], ["convert"],
        ["config"], ["doctor"], ["healthcheck"],
    ])
    func `every command has an example in its help`(command: [String]) async throws {
        let run = try await CommandRun.saunter(command + ["--help"])

        #expect(run.status == 0)
        #expect(run.output.contains("Example: ") || run.output.contains("Examples:"))
    }

    /// The result of `convert` and `import-walk` is JSON in any case, and that of `print` is a page.
    @Test(arguments: [
        ["migrate"], ["check"], ["publish"], ["balance"], ["occasions"], ["simulate"], ["new"],
        ["account", "create"], ["account", "grant"], ["account", "revoke"], ["account", "show"],
        ["account", "list"], ["study", "list"], ["enrolment-codes"], ["audit"], ["remind"], ["backup"],
        ["restore"],
        ["erasures"], ["import"], ["cohort"], ["config"], ["doctor"], ["healthcheck"],
    ])
    func `every command with a result can print it as JSON`(command: [String]) async throws {
        let run = try await CommandRun.saunter(command + ["--help"])

        #expect(run.status == 0)
        #expect(run.output.contains("--json"))
    }

    @Test func `the help names every setting`() async throws {
        let help = try await CommandRun.saunter(["--help"]).output

        for name in ["DATABASE_URL", "DATA_DIR", "HOST", "PORT", "LOG_LEVEL", "SMTP_URL", "PUBLIC_URL"] {
            #expect(help.contains("SAUNTER_\(name)"))
        }
    }

    @Test(arguments: [
        ["dance"], ["check"], ["publish"], ["serve", "--prot", "1"], ["remind"], ["account", "grant"],
        ["occasions", "x", "--enrolled-at", "yesterday", "--zone", "UTC"],
        ["cohort", "--study", "mindful-walking", "--participants", "0"],
    ])
    func `wrong usage ends with status 2 and the usage on standard error`(arguments: [String]) async throws {
        let run = try await CommandRun.saunter(arguments)

        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("Usage: saunter"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions name the commands`(shell: String) async throws {
        let run = try await CommandRun.saunter(["--generate-completion-script", shell])

        #expect(run.status == 0)
        for command in ["publish", "account", "print"] { #expect(run.output.contains(command)) }
    }
}
