import Foundation
import Testing

@testable import SaunterEvaluation

@Suite struct ParquetFileTests {
    @Test func `Parquet files equal the CSV files and also contain samples`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, manifest in
                let rows = Dictionary(uniqueKeysWithValues: manifest.files.map { ($0.path, $0.rows) })
                #expect(rows["data/answers.parquet"] == rows["data/answers.csv"])
                #expect(rows["data/walk_samples.parquet"] == 3)

                let outcome = try Program.run(
                    Program.python, [Garden.fixtures + "/check_parquet.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs pyarrow, duckdb and polars: set SAUNTER_TEST_PYTHON")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `samples are in the order of their key`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                """
                insert into research.walk (enrolment_id, walk_id, started_at, ended_at, received_at, zone,
                  started_offset_min, ended_offset_min, flags, pauses_ms, t_ms, elapsed_s, active_s, body_sha256)
                select enrolment_id, md5(enrolment_id::text || number)::uuid, consented_at, consented_at, consented_at, 'UTC',
                  0, 0, '{}', '{}', (select array_agg(time * 1000 order by time) from generate_series(0, number) as time),
                  1, 1, '\\x00'
                from research.enrolment, generate_series(1, 40) as number
                where study = 'garden' and status <> 'excluded'
                """)

            try await garden.dataset { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_order.py", folder])
                // 2 + 3 + … + 41 samples for two enrolments, and the three existing samples.
                #expect(outcome.output == "1723 samples of 81 walks\n")
            }
        }
    }

    @Test(arguments: [
        "2026-03-28,0,x,1\n", "7,2,x,1\n", "7,,x,1e999e\n", "9223372036854775808,0,x,1\n", "7,0,x\n",
        "7,0,x,1,\n",
    ])
    func `a text that does not fit the type of its column is rejected`(record: String) throws {
        #expect(throws: (any Error).self) { try Self.write("a,b,c,d\n" + record) }
        try Self.write("a,b,c,d\n7,0,x,1\n,,,\n-7,1,\"\",NaN\n")
    }

    private static func write(_ text: String) throws {
        let types: [ColumnType] = [.integer, .boolean, .string, .number]
        let columns = zip(["a", "b", "c", "d"], types).map { Column($0, $1, "") }
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        let output = try OutputFile(path: "x", at: url, isTable: false)
        var file = try ParquetFile(columns, key: [], metadata: [], into: output)
        try file.write(Array(text.utf8))
        _ = try file.close()
    }
}
