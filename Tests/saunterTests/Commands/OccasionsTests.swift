import Foundation
import SaunterCore
import Testing

@Suite struct `saunter occasions` {
    private static let arguments = [
        "occasions", SourceTree.study, "--enrolled-at", "2026-10-23T10:00:00Z", "--zone", "Europe/Berlin",
    ]

    @Test func `occasions are shown in the participant's local time, also after a clock change`() async throws
    {
        let run = try await CommandRun.saunter(Self.arguments + ["--arm", "control", "--days", "4"])

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
                after_walk: not applicable, because its anchor or its phase has not occurred

                """)
    }

    @Test func `the same seed gives the same ids, and another seed gives other ids`() async throws {
        let first = try await CommandRun.saunter(Self.arguments + ["--json", "--seed", "a"])
        let again = try await CommandRun.saunter(Self.arguments + ["--json", "--seed", "a"])
        let other = try await CommandRun.saunter(Self.arguments + ["--json", "--seed", "b"])

        let items = try JSONReader.read(first.output)["items"]?.array ?? []
        #expect(items.count == 35)
        #expect(first.output == again.output)
        #expect(
            items.first?["occasion_id"]
                != (try JSONReader.read(other.output))["items"]?.array?.first?["occasion_id"])
    }

    @Test func `occasions after journeys, walks, sheets and breaks are shown with their states`() async throws
    {
        let run = try await CommandRun.saunter(
            Self.arguments + [
                "--days", "4", "--travel", "2026-10-24T20:30:00Z=Asia/Tokyo", "--walk",
                "2026-10-24T09:00:00Z",
                "--sheet", "2026-10-23T16:00:00Z=daily_evening", "--pause",
                "2026-10-25T00:00:00Z/2026-10-25T23:00:00Z",
                "--at", "2026-10-26T00:00:00Z", "--json",
            ])

        #expect(run.status == 0)
        let reply = try JSONReader.read(run.output)
        let states = (reply["items"]?.array ?? []).map {
            "\($0["schedule"]?.string ?? "") \($0["local_date"]?.string ?? "") \($0["state"]?.string ?? "")"
        }
        #expect(states.contains("daily 2026-10-23 completed_on_time"))
        #expect(states.contains("after_walk 2026-10-24 missed"))
        #expect(states.contains("daily 2026-10-25 paused"))
        #expect(states.contains("daily 2026-10-26 upcoming"))
        #expect(reply["not_applicable"]?.array?.isEmpty == true)
        #expect(reply["adherence"]?["completed"]?.int == 1)
    }

    @Test func `the text output shows adherence and streaks at an instant`() async throws {
        let run = try await CommandRun.saunter(
            Self.arguments + [
                "--days", "3", "--sheet", "2026-10-23T16:00:00Z=daily_evening",
                "--at", "2026-10-25T12:00:00Z",
            ])

        #expect(
            run.lines.last
                == "at 2026-10-25T12:00:00.000Z: 1 of 2 settled occasions answered (50.0 %), 1 on time (50.0 %), live 20 %; streak 0, best 0"
        )
    }

    @Test func `times in a repeated hour are shown with their offset`() async throws {
        let run = try await CommandRun.saunter(
            Self.arguments + ["--days", "3", "--walk", "2026-10-24T23:50:00Z"])

        // It is due after two hours and closes after twelve hours: opens at 01:50, and is due at 02:50 with the second
        // offset.
        let line = try #require(run.lines.first { $0.contains("after_walk") })
        #expect(line.contains("01:50") && line.contains("02:50 +01:00") && line.contains("12:50"), "\(line)")
    }

    @Test(arguments: [("immutable", true), ("mutable", false)])
    func `a second moment of an event is rejected only if the event cannot be moved`(
        update: String, isRejected: Bool
    ) async throws {
        let folder = try TestFolder()
        let packs = "\(folder.path)/packs"
        try FileManager.default.copyItem(atPath: "\(SourceTree.path)/Questionnaires", toPath: packs)
        let study = "\(packs)/studies/strain-diary"
        let design = try String(contentsOfFile: "\(study)/study.yaml", encoding: .utf8)
        try #require(design.contains("update: mutable}"))
        try design.replacing("update: mutable}", with: "update: \(update)}")
            .write(toFile: "\(study)/study.yaml", atomically: true, encoding: .utf8)

        let run = try await CommandRun.saunter([
            "occasions", study, "--enrolled-at", "2026-10-23T10:00:00Z", "--zone", "Europe/Berlin",
            "--event", "2026-10-24T20:30:00Z=back-at-work", "--event", "2026-10-25T20:30:00Z=back-at-work",
        ])

        #expect(run.status == (isRejected ? 1 : 0), "\(run.errors)")
        #expect(run.errors.contains("--event can name it only once") == isRejected)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        (["--event", "2026-10-24T20:30:00Z=moved"], "the study has no event moved: it has none"),
        (["--sheet", "2026-10-24T20:30:00Z=moved"], "the study has no questionnaire moved"),
        (["--travel", "Asia/Tokyo"], "Asia/Tokyo is not of the form T=ZONE"),
        (["--pause", "now"], "now is not an instant in RFC 3339"),
        (["--pause", "2026-10-24T20:30:00Z/2026-10-24T20:29:59Z"], "a break cannot end before it begins"),
        (["--arm", "thrid"], "it has experimental, control"),
        (["--zone", "Europe/Berlni"], "did you mean Europe/Berlin?"),
    ])
    func `an unknown name ends with a list of valid names`(more: [String], hint: String) async throws {
        let run = try await CommandRun.saunter(Self.arguments + more)

        // A value that is wrong in itself has another status than a name that the study's files do not have.
        #expect(run.status == (["--zone", "--travel", "--pause"].contains(more[0]) ? 2 : 1))
        #expect(run.errors.contains(hint))
    }
}
