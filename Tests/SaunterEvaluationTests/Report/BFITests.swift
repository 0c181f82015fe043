import Foundation
import SaunterCore
import SaunterPacks
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

/// Answers of 2,800 participants to 25 statements (data set bfi of the R package psych) as a pack. The results of psych
/// must equal the scores of the engine and the figures of the report.
@Suite struct BFITests {
    @Test func `scores and figures equal those of psych to nine digits`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bfi-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try Program.run("Rscript", ["--vanilla", Garden.fixtures + "/bfi/bfi.R", folder])
        try #require(
            made.status == 0,
            "\(made.output)\nThe test needs apt-get install r-base-core r-cran-psych r-cran-gparotation")
        let questionnaire = try InstrumentPack.read(
            PackFiles.load(directory: Garden.fixtures + "/bfi/instruments/bfi/1.0.0"), code: "bfi",
            version: "1.0.0"
        ).questionnaire
        let table = try String(contentsOfFile: folder + "/bfi.csv", encoding: .utf8)

        var scored: [UInt8] = []
        let outcome = try TableScoring(questionnaire).run(CSVReader(table)) { scored += $0 }
        let report = try ReportTable(questionnaire).report(CSVReader(table))

        #expect(outcome.rows == 2800 && outcome.faultCount == 0)
        let scores = try Array(TableRows(text: String(decoding: scored, as: UTF8.self)))
        let expected = try Array(TableRows(folder + "/scores.csv"))
        #expect(scores.count == expected.count)
        for (found, wanted) in zip(scores, expected) {
            for (scale, value) in wanted {
                #expect(Self.agree(found["score_\(scale)"], value), "\(scale)")
            }
        }
        let instrument = try #require(report.instruments.first)
        let figures = try Array(TableRows(folder + "/figures.csv"))
        #expect(figures.count > 150)
        for row in figures {
            let scale = try #require(instrument.scales.first { $0.id == row["scale"] })
            let item = scale.items.first { $0.id == row["item"] }
            let missing = MissingData(rawValue: row["missing"] ?? "")
            let name = row["figure"] ?? ""
            let figure = (row["item"] == "" ? scale.figures : item?.figures ?? []).first(name, missing)
            #expect(
                Self.agree(
                    figure?.value.value?.shortest, row["value"] ?? "",
                    within: name.hasPrefix("omega_total") ? 1e-4 : 1e-9),
                "\(scale.id) \(row["item"] ?? "") \(name) \(row["missing"] ?? "")")
        }
    }

    /// Whether both are blank or both are equal numbers within the tolerance.
    private static func agree(_ found: String?, _ wanted: String, within tolerance: Double = 1e-9) -> Bool {
        guard let wanted = Double(wanted) else { return found == "" }
        guard let found = found.flatMap(Double.init) else { return false }
        return abs(found - wanted) <= tolerance * max(1, abs(wanted))
    }
}
