import Testing

@Suite struct `saunter remind` {
    @Test func `without a mail server the command reports that only other messages are sent`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["remind", "--once"], [:])

            #expect(run.status == 0)
            #expect(run.output == "no message was due\n")
            #expect(
                run.errors == "SAUNTER_SMTP_URL is not set: mails stay queued, other messages are sent\n")
        }
    }

    @Test func `in a new database no message is due`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(
                ["remind", "--once"], ["SAUNTER_SMTP_URL": "smtp://127.0.0.1:1"])

            #expect(run.status == 0)
            #expect(run.output == "no message was due\n")
        }
    }
}
