import SaunterCore
import Testing

@Suite struct `saunter occasions` {
    private static let usual = [
        "occasions", SourceTree.study, "--enrolled-at", "2026-10-23T10:00:00Z", "--zone", "Europe/Berlin",
    ]

    @Test func `the first days are laid out by the participant's clock, over its change`() async throws {
        let run = try await CommandRun.saunter(Self.usual + ["--arm", "control", "--days", "4"])

        #expect(run.status == 0)
        #expect(
            run.output == """
                date        opens  due               closes            questionnaire  schedule            remark
                2026-10-23  00:00  2026-10-25 00:00  2026-10-30 00:00  maas           baseline_attention  clock change
                2026-10-23  00:00  2026-10-25 00:00  2026-10-30 00:00  pss_10         baseline_stress     clock change
                2026-10-23  00:00  2026-10-25 00:00  2026-10-30 00:00  who_5          baseline_wellbeing  clock change
                2026-10-23  17:00  22:00             2026-10-24 04:00  daily_evening  daily
                2026-10-24  17:00  22:00             2026-10-25 04:00  daily_evening  daily               clock change
                2026-10-25  17:00  22:00             2026-10-26 04:00  daily_evening  daily
                2026-10-26  17:00  22:00             2026-10-27 04:00  daily_evening  daily

                """)
    }

    @Test func `the same seed gives the same ids, another seed others`() async throws {
        let first = try await CommandRun.saunter(Self.usual + ["--json", "--seed", "a"])
        let again = try await CommandRun.saunter(Self.usual + ["--json", "--seed", "a"])
        let other = try await CommandRun.saunter(Self.usual + ["--json", "--seed", "b"])

        let items = try JSONReader.read(first.output)["items"]?.array ?? []
        #expect(items.count == 35)
        #expect(first.output == again.output)
        #expect(
            items.first?["occasion_id"]
                != (try JSONReader.read(other.output))["items"]?.array?.first?["occasion_id"])
    }

    @Test(arguments: [
        (["--arm", "thrid"], "it has experimental, control"),
        (["--zone", "Europe/Berlni"], "did you mean Europe/Berlin?"),
    ])
    func `a wrong name ends with status 2 and what would do`(more: [String], hint: String) async throws {
        let run = try await CommandRun.saunter(Self.usual + more)

        #expect(run.status == 2)
        #expect(run.errors.contains(hint))
    }
}
