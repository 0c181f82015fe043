import Testing

@Suite struct `saunter remind` {
    @Test func `without a mail server other messages go out, and that is said`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["remind", "--once"], [:])

            #expect(run.status == 0)
            #expect(run.output == "nothing waited\n")
            #expect(
                run.errors == "SAUNTER_SMTP_URL is not set: mails wait, other messages go out\n")
        }
    }

    @Test func `nothing waits in a new database`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(
                ["remind", "--once"], ["SAUNTER_SMTP_URL": "smtp://127.0.0.1:1"])

            #expect(run.status == 0)
            #expect(run.output == "nothing waited\n")
        }
    }
}
