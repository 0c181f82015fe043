import Foundation
import SaunterCore
import SaunterStatisticsFiles
import Testing

@testable import SaunterEvaluation

@Suite struct StatisticsFileTests {
    @Test func `pyreadstat reads the values, labels and reasons of the tables from .sav and .dta`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.spss, .stata]) { folder, _ in
                let outcome = try Program.run(
                    Program.python, [Garden.fixtures + "/check_statistics.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs pyreadstat: pip install pyreadstat, or set SAUNTER_TEST_PYTHON"
                )
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `haven reads the same values, labels and reasons`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.spss, .stata]) { folder, _ in
                let outcome = try Program.run("Rscript", [Garden.fixtures + "/check_haven.R", folder])
                #expect(outcome.status == 0, "\(outcome.output)\nThe test needs R with haven: r-cran-haven")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `the same snapshot gives the same bytes in every format at any time`() async throws {
        try await Garden.with { garden in
            func sums() async throws -> [String: String] {
                try await garden.dataset(formats: Set(DatasetFormat.allCases)) { _, manifest in
                    Dictionary(uniqueKeysWithValues: manifest.files.map { ($0.path, $0.sha256) })
                }
            }
            let first = try await sums()

            #expect(try await sums() == first)
            #expect(first.keys.contains("spss/wide_mood.sav") && first.keys.contains("stata/wide_mood.dta"))
        }
    }

    @Test func `the only instant in a file is derived from the snapshot`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.spss, .stata, .excel]) { folder, _ in
                func bytes(_ path: String) throws -> Data {
                    try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
                }
                // The snapshot is of 2026-03-30T15:00Z. The time of the test run does not matter.
                #expect(try bytes("spss/wide_mood.sav").range(of: Data("30 Mar 2612:00:00".utf8)) != nil)
                #expect(
                    try bytes("stata/wide_mood.dta").range(
                        of: Data("<timestamp>\u{11}30 Mar 2026 12:00</".utf8))
                        != nil)
                let workbook = try Program.run(
                    "unzip", ["-p", folder + "/excel/dataset.xlsx", "docProps/core.xml"])
                #expect(workbook.output.contains(">2026-03-30T15:00:00Z</dcterms:created>"))
                let times = try Program.run("unzip", ["-Z", "-T", folder + "/excel/dataset.xlsx"])
                let stamped = times.output.split(separator: "\n").filter { $0.hasPrefix("-") }
                #expect(stamped.count > 5 && stamped.allSatisfy { $0.contains(" 19800101.000000 ") })
            }
        }
    }

    @Test func `free text is in no file for statistics packages`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full, formats: [.spss, .stata]) { _, manifest in
                let names = manifest.files.map(\.path).filter {
                    $0.hasPrefix("spss/") || $0.hasPrefix("stata/")
                }
                for part in ["text", "_devices", "conflicts", "edits"] {
                    #expect(!names.contains { $0.contains(part) }, "\(part)")
                }
                #expect(names.count > 10)
            }
        }
    }

    @Test func `names that a statistics package reserves get an underscore`() {
        let columns = ["by", "by_", "if", "str12", "street", "to", "feel"]

        #expect(
            VariableName.names(columns, for: .spss, free: ColumnName.free)
                == [
                    ColumnName.free("by_", taken: ["by", "by_"]), "by_", "if", "str12", "street", "to_",
                    "feel",
                ])
        #expect(
            VariableName.names(columns, for: .stata, free: ColumnName.free) == [
                "by", "by_", "if_", "str12_", "street", "to", "feel",
            ])
    }
}
