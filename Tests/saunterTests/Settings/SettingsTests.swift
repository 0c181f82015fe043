import SaunterCore
import Testing

@Suite struct `Settings` {
    /// The value and source of a setting from `saunter config`.
    private func shown(_ name: String, in run: CommandRun) throws -> [String?] {
        let item = try JSONReader.read(run.output)["items"]?.array?.first { $0["setting"]?.string == name }
        return [item?["value"]?.string, item?["source"]?.string]
    }

    @Test
    func `the command line overrides the environment, which overrides the file, which overrides the default`()
        async throws
    {
        let folder = try TestFolder()
        let file = try folder.file("saunter.yaml", "data_dir: /a\nlog_level: debug\nport: 9001\n")

        let run = try await CommandRun.saunter(
            ["config", "--json", "--config", file, "--data-dir", "/c"],
            environment: ["SAUNTER_DATA_DIR": "/b", "SAUNTER_LOG_LEVEL": "error"])
        withExtendedLifetime(folder) {}

        #expect(try shown("data_dir", in: run) == ["/c", "the command line"])
        #expect(try shown("log_level", in: run) == ["error", "the environment"])
        #expect(try shown("port", in: run) == ["9001", file])
        #expect(try shown("host", in: run) == ["127.0.0.1", "default"])
    }

    @Test func `a secret can be read from a file and is never shown`() async throws {
        let folder = try TestFolder()
        let file = try folder.file("url", "postgresql://saunter:canary-7431@db/saunter\n")

        let run = try await CommandRun.saunter(["config"], environment: ["SAUNTER_DATABASE_URL_FILE": file])
        withExtendedLifetime(folder) {}

        #expect(run.status == 0)
        #expect(run.output.contains("(hidden)"))
        #expect(!run.output.contains("canary-7431"))
    }

    @Test(arguments: [
        (["SAUNTER_PORT": "80800"], #"SAUNTER_PORT="80800" (from the environment)"#),
        (["SAUNTER_LOG_LEVEL": "loud"], #"SAUNTER_LOG_LEVEL="loud""#),
        (["SAUNTER_PUBLIC_URL": "study.example.org"], "SAUNTER_PUBLIC_URL"),
        (["SAUNTER_TRUSTED_PROXIES": "10.0.0.0/8,proxy"], "SAUNTER_TRUSTED_PROXIES"),
        (["SAUNTER_METRICS_TOKEN": "short"], "SAUNTER_METRICS_TOKEN (from the environment)"),
        (["SAUNTER_SMTP_URL": "mail.example.org"], "SAUNTER_SMTP_URL (from the environment)"),
        (["SAUNTER_DATABASE_URL": "nonsense"], "SAUNTER_DATABASE_URL (from the environment)"),
        (
            ["SAUNTER_DATABASE_URL": "host=a", "SAUNTER_DATABASE_URL_FILE": "/dev/null"],
            "set SAUNTER_DATABASE_URL or SAUNTER_DATABASE_URL_FILE, not both"
        ),
        (["SAUNTER_SMTP_URL_FILE": "/nowhere"], "SAUNTER_SMTP_URL_FILE: /nowhere cannot be read"),
        (["SAUNTER_CONFIG_FILE": "/nowhere.yaml"], "/nowhere.yaml cannot be read"),
        (
            ["SAUNTER_APP_STORE_FILE": "/nowhere.yaml"],
            "SAUNTER_APP_STORE_FILE (from the environment): /nowhere.yaml cannot be read"
        ),
    ])
    func `an invalid setting stops the start with one line that names the setting`(
        environment: [String: String], expected: String
    ) async throws {
        for command in ["config", "serve"] {
            let run = try await CommandRun.saunter([command], environment: environment)

            #expect(run.status == 2)
            #expect(run.errors.hasPrefix("saunter: "))
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.errors.contains(expected))
        }
    }

    @Test func `an invalid secret is not quoted`() async throws {
        let run = try await CommandRun.saunter(
            ["config"],
            environment: [
                "SAUNTER_DATABASE_URL": "canary-8812 password=canary-8812",
                "SAUNTER_METRICS_TOKEN": "canary-8812",
            ])

        #expect(run.status == 2)
        #expect(!run.errors.contains("canary"))
    }

    @Test func `a warning about an unknown variable suggests the most similar name`() async throws {
        let run = try await CommandRun.saunter(
            ["config"], environment: ["SAUNTER_PROT": "1", "SAUNTER_TEST_X": "1"])

        #expect(run.status == 0)
        #expect(
            run.errors
                == "saunter: warning: SAUNTER_PROT is not a setting of Saunter; did you mean SAUNTER_PORT?\n")
    }

    @Test(arguments: [
        ("port: 1\nsmpt_url: x\n", ":2: there is no setting \"smpt_url\"; did you mean smtp_url?"),
        ("port: [1]\n", ":1: port must be one value"), ("just words", "is not a list"),
        ("a: [", "is not YAML"),
    ])
    func `a fault in the configuration file is reported with its line`(text: String, expected: String)
        async throws
    {
        let folder = try TestFolder()
        let file = try folder.file("saunter.yaml", text)

        let run = try await CommandRun.saunter(["config", "--config", file])
        withExtendedLifetime(folder) {}

        #expect(run.status == 2)
        #expect(run.errors.contains(expected))
    }
}
