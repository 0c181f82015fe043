import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct StatisticsFileTests {
    @Test func `pyreadstat reads the same values, labels and reasons from .sav and .dta as the tables hold`()
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

    @Test func `the same snapshot gives the same bytes in every form, whatever the hour`() async throws {
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

    @Test func `the only moment in a file is that of the snapshot's day`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.spss, .stata, .excel]) { folder, _ in
                func bytes(_ path: String) throws -> Data {
                    try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
                }
                // Told as of 2026-03-30T15:00Z, not of the hour in which this runs.
                #expect(try bytes("spss/wide_mood.sav").range(of: Data("30 Mar 2612:00:00".utf8)) != nil)
                #expect(
                    try bytes("stata/wide_mood.dta").range(
                        of: Data("<timestamp>\u{11}30 Mar 2026 12:00</".utf8))
                        != nil)
                let book = try Program.run(
                    "unzip", ["-p", folder + "/excel/wide_mood.xlsx", "docProps/core.xml"])
                #expect(book.output.contains(">2026-03-30T15:00:00Z</dcterms:created>"))
                let times = try Program.run("unzip", ["-Z", "-T", folder + "/excel/wide_mood.xlsx"])
                let stamped = times.output.split(separator: "\n").filter { $0.hasPrefix("-") }
                #expect(stamped.count > 5 && stamped.allSatisfy { $0.contains(" 19800101.000000 ") })
            }
        }
    }

    @Test func `people's own words are in no statistics file`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full, formats: [.spss, .stata]) { _, manifest in
                let names = manifest.files.map(\.path).filter {
                    $0.hasPrefix("spss/") || $0.hasPrefix("stata/")
                }
                #expect(names.allSatisfy { !$0.contains("text") && !$0.contains("devices") })
                #expect(names.count > 10)
            }
        }
    }

    @Test func `names that a program keeps for itself get an underscore`() {
        let columns = ["by", "by_", "if", "str12", "street", "to", "feel"].map { Column($0, .integer, "") }

        #expect(
            StatisticsName.names(columns, for: .spss)
                == [
                    ColumnName.free("by_", taken: ["by", "by_"]), "by_", "if", "str12", "street", "to_",
                    "feel",
                ])
        #expect(
            StatisticsName.names(columns, for: .stata) == [
                "by", "by_", "if_", "str12_", "street", "to", "feel",
            ])
    }

    @Test func `a text is cut between characters`() {
        #expect("aüb".prefix(bytes: 2) == "a")
        #expect("aüb".prefix(bytes: 3) == "aü")
        #expect("aüb".prefix(bytes: 9) == "aüb")
    }
}
