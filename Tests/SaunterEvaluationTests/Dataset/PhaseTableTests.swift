import SaunterPacks
import Testing

@testable import SaunterEvaluation

@Suite struct PhaseTableTests {
    /// The study of the fixture with phases, as version 3.0.0.
    private static func pack() throws -> PackFiles {
        var files = try Garden.pack("garden-1").files
        let path = try #require(files.keys.first { $0.hasSuffix("studies/garden/study.yaml") })
        files[path]? += """
            events:
              - {code: seeds-arrived}
              - {code: sprouted}
            phases:
              - {code: preparation, start: {day: 0}, end: {day: 0}}
              - {code: planting, start: {event: seeds-arrived}, end: {event: sprouted}}
              - {code: growth, start: {event: sprouted}}
              - {code: diary, start: {first_completion: mood}, end: {days: 2}}

            """
        return PackFiles(files: files)
    }

    @Test func `every phase that has begun has a row with its local dates`() async throws {
        try await Garden.with { garden in
            try await garden.publish(Self.pack(), version: "3.0.0", at: "2026-03-03T00:00:00Z")
            try await garden.change(
                """
                update research.enrolment set study_version = '3.0.0' where study = 'garden';
                insert into research.enrolment_event values
                  -- The second report of an event is in force.
                  ('00000000-0000-4000-8000-0000000000e1', 'seeds-arrived', 1, '2026-03-28T12:00Z', '2026-03-28T12:00Z'),
                  -- 0:30 on 29 March in Berlin.
                  ('00000000-0000-4000-8000-0000000000e1', 'seeds-arrived', 2, '2026-03-28T23:30Z', '2026-03-29T01:00Z'),
                  -- 22:00 on 28 March in New York.
                  ('00000000-0000-4000-8000-0000000000e2', 'seeds-arrived', 1, '2026-03-29T02:00Z', '2026-03-29T02:00Z'),
                  ('00000000-0000-4000-8000-0000000000e2', 'sprouted', 1, '2026-03-30T10:00Z', '2026-03-30T10:00Z')
                """)
            try await garden.dataset { folder, _ in
                let rows = try TableRows(folder + "/data/phases.csv").map { row in
                    ["participant_id", "arm", "phase", "ordinal", "starts_on", "ends_on"]
                        .map { row[$0] ?? "?" }.joined(separator: " ")
                }
                #expect(
                    rows == [
                        // The first sheet of P001 was completed on 28 March.
                        "P001 plants diary 4 2026-03-28 2026-03-29",
                        // The event that ends the phase is not reported yet.
                        "P001 plants planting 2 2026-03-29 ",
                        "P001 plants preparation 1 2026-03-28 2026-03-28",
                        // The only sheet of P002 that was not deleted was completed at 22:30 on 29 March in New York.
                        "P002 stones diary 4 2026-03-29 2026-03-30",
                        // Until the last day of the study, day 3.
                        "P002 stones growth 3 2026-03-30 2026-03-31",
                        "P002 stones planting 2 2026-03-28 2026-03-30",
                        "P002 stones preparation 1 2026-03-28 2026-03-28",
                    ])
            }
        }
    }

    @Test func `a study without phases has no file of phases`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { _, manifest in
                #expect(!manifest.files.contains { $0.path == "data/phases.csv" })
            }
        }
    }
}
