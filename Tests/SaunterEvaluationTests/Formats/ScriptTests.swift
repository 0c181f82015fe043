import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ScriptTests {
    @Test func `PSPP runs load.sps and gets the same data as from the .sav files`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.spss]) { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_pspp.py", folder])
                #expect(
                    outcome.status == 0, "\(outcome.output)\nThe test needs pspp, and pyreadstat for Python")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `load.do labels every variable of every table and its reasons`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let script = try String(contentsOfFile: folder + "/load/load.do", encoding: .utf8)
                // Tables with own words are not written for statistics packages.
                let texts = ["data/free_text.csv", "data/variables.csv"]
                for row in try TableRows(folder + "/meta/codebook.csv")
                where !texts.contains(row["file"] ?? "") && row["file"]?.hasSuffix(".csv") ?? false {
                    #expect(script.contains("label variable \(row["column"] ?? "?") `\""), "\(row)")
                }
                #expect(script.contains("replace calm = .r if saunter_why == \"refused\""))
                #expect(script.contains("    1 `\"bad\"' ///"))
            }
        }
    }
}
