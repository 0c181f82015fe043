import Testing

@Suite struct `saunter remind` {
    @Test func `without a mail server there is nothing to do, and that is said`() async throws {
        let run = try await CommandRun.saunter(["remind", "--once"])

        #expect(run.status == 1)
        #expect(run.errors == "saunter: SAUNTER_SMTP_URL is not set: there is nowhere to hand in mail\n")
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
