import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// A pack that uses every member of a scoring key, with test vectors and mistakes.
@Suite struct ScoringVocabularyTests {
    @Test func `every key is read, and the test vectors pass`() throws {
        let pack = try InstrumentPack.check(NightPack.files, code: "night", version: "1.0.0")

        let key = try #require(pack.questionnaire.scoring)
        #expect(pack.vectorCount == 6)
        #expect(key.covariates.map(\.source) == [.profile, .item("sex"), .enrolment])
        #expect(key.tables.map(\.rows.count) == [7, 3])
        let scales = Dictionary(uniqueKeysWithValues: key.scales.map { ($0.id, $0) })
        #expect(scales["in_bed"]?.unit == .hours)
        #expect(scales["rest"]?.recode["ease"] == ["easy": 0, "hard": 2])
        #expect(scales["rest"]?.weights == ["q1": 2])
        #expect(scales["rest"]?.blanks == [.notApplicable: .leftOut, .refused: .counts(1)])
        #expect(scales["rest"]?.missing == .partial(needed: .share(0.5), remedy: .impute(.personMedian)))
        #expect(scales["often"]?.counted == ScoreRange(from: 1))
        #expect(scales["often"]?.missing == .partial(needed: .count(1), remedy: .answered))
        #expect(
            scales["often"]?.change
                == ChangeRule(
                    standardDeviation: 1.5, reliability: 0.8, source: "made up", baseline: .previous,
                    direction: .lowerIsBetter, important: 1))
        #expect(
            scales["steps"]?.transform == [
                .multiply(2), .divide(4), .add(-1), .clamp(least: 0, greatest: 2), .wrap(1),
                .round(Rounding(places: 1, mode: .halfUp)), .pomp,
            ])
        #expect(scales["steps"]?.missing == .exclude)
        #expect(scales["place"]?.exclude.map(\.id) == ["child"])
        #expect(
            scales["place"]?.windows == [
                WindowRule(id: "week", days: 7, minimum: 2), WindowRule(id: "whole"),
            ])
    }

    @Test(arguments: shape + tables + wrong)
    func `a wrong key is reported with file and line`(breakage: Breakage) throws {
        let files = try NightPack.files.replacing(
            breakage.passage, with: breakage.other, in: NightPack.folder + breakage.file)

        let found = breakage.found(in: NightPack.folder) { () throws(PackFaults) in
            _ = try InstrumentPack.check(files, code: "night", version: "1.0.0")
        }

        #expect(found == breakage.faults)
    }

    private static let shape = [
        Breakage(
            "scoring.yaml", "from: profile}", "from: file}",
            "scoring.yaml:3: expected one of profile, enrolment, found \"file\""),
        Breakage(
            "scoring.yaml", "{id: sex, item: sex}", "{id: sex}",
            "scoring.yaml:4: a covariate needs either `item`, or `from` with profile or enrolment"),
        Breakage(
            "scoring.yaml", "impute: person_median", "impute: median",
            "scoring.yaml:19: expected one of person_mean, person_median, midpoint, found \"median\""),
        Breakage(
            "scoring.yaml", "{min_share: 0.5,", "{min_share: 0.5, min_answered: 1,",
            "scoring.yaml:19: \"missing\" has min_answered or min_share, not both"),
        Breakage(
            "scoring.yaml", "not_applicable: leave_out", "not_applicable: leave",
            "scoring.yaml:18: expected a number or leave_out, found a text"),
        Breakage(
            "scoring.yaml", "refused: 1", "no_idea: 1", "scoring.yaml:18: \"no_idea\" is not a missing reason"
        ),
        Breakage(
            "scoring.yaml", "- {wrap: 1}", "- {wrap: 1, add: 1}",
            "scoring.yaml:39: a step is exactly one of multiply, divide, add, clamp, wrap, round, bins, lookup, norm; "
                + "only norm has form"),
        Breakage("scoring.yaml", "- pomp", "- percent", "scoring.yaml:41: *"),
        Breakage("scoring.yaml", "up_to: 60, value: 2", "up_to: 60", "scoring.yaml:51: \"value\" is missing"),
        Breakage(
            "scoring.yaml", "{of: age, below: 18}", "{of: age, is: 3, below: 18}",
            "scoring.yaml:59: a condition has `is` or the ends of a range, not both"),
    ]

    private static let tables = [
        Breakage(
            "tables/raw.csv", "0,40.5,2", "0,40.6,2",
            "scoring.yaml:7: the SHA-256 of tables/raw.csv is "
                + TableReference.checksum(of: NightPack.rawTable.replacing("0,40.5,2", with: "0,40.6,2"))),
        Breakage(
            "scoring.yaml", "file: tables/raw.csv", "file: raw.csv", "scoring.yaml:7: *",
            "tables/raw.csv:1: *"),
        Breakage(
            "scoring.yaml", "file: tables/raw.csv", "file: tables/row.csv",
            "scoring.yaml:7: there is no file tables/row.csv",
            "tables/raw.csv:1: this file is not part of an instrument"),
    ]

    /// Off-by-one edges, ignored blanks, gaps and overlaps.
    private static let wrong = [
        Breakage("scoring.yaml", "{above: 15, up_to: 30", "{above: 16, up_to: 30", "scoring.yaml:48: *"),
        Breakage("scoring.yaml", "{above: 15, up_to: 30", "{from: 15, up_to: 30", "scoring.yaml:50: *"),
        Breakage(
            "scoring.yaml", "{above: 15, up_to: 30", "{above: 14, up_to: 30", "scoring.yaml:50: *"),
        Breakage("scoring.yaml", "{id: some, from: 1}", "{id: some, from: 2}", "scoring.yaml:25: *"),
        Breakage("scoring.yaml", "{id: none, below: 1}", "{id: none, up_to: 1}", "scoring.yaml:27: *"),
        Breakage(
            "scoring.yaml", "{id: none, below: 1}\n      - {id: some, from: 1}",
            "{id: none, below: 2}\n      - {id: some, from: 2}", "vectors.csv:2: *", "vectors.csv:3: *"),
        Breakage(
            "scoring.yaml", "impute: person_median", "then: answered", "vectors.csv:4: *", "vectors.csv:4: *",
            "vectors.csv:4: *"),
        Breakage(
            "scoring.yaml", "reverse: [q1]", "reverse: []", "vectors.csv:2: *", "vectors.csv:2: *",
            "vectors.csv:2: *",
            "vectors.csv:3: *", "vectors.csv:3: *", "vectors.csv:3: *", "vectors.csv:4: *",
            "vectors.csv:4: *", "vectors.csv:4: *", "vectors.csv:5: *", "vectors.csv:5: *",
            "vectors.csv:6: *", "vectors.csv:6: *", "vectors.csv:6: *"),
        Breakage("scoring.yaml", "weights: {q1: 2}", "weights: {q9: 2}", "scoring.yaml:17: *"),
        Breakage("scoring.yaml", "hard: 2}", "heavy: 2}", "scoring.yaml:15: *", "scoring.yaml:15: *"),
        Breakage("scoring.yaml", "lookup: raw", "lookup: rows", "scoring.yaml:53: *"),
        Breakage("scoring.yaml", "reliability: 0.8", "reliability: 1", "scoring.yaml:29: *"),
        Breakage("scoring.yaml", "{id: week, days: 7", "{id: week, days: 0", "scoring.yaml:60: *"),
        Breakage("scoring.yaml", "minimum: 2}", "minimum: 0}", "scoring.yaml:60: *"),
        Breakage("scoring.yaml", "{id: whole}", "{id: week}", "scoring.yaml:60: *"),
        Breakage("scoring.yaml", "{of: age, below: 18}", "{of: height, below: 18}", "scoring.yaml:59: *"),
        Breakage(
            "vectors.csv", "a child,5,", "a child,18,", "vectors.csv:5: *", "vectors.csv:5: *",
            "vectors.csv:5: *"),
    ]
}

extension String {
    fileprivate func replacing(_ passage: String, with other: String) -> String {
        guard let range = range(of: passage) else { return self }
        return replacingCharacters(in: range, with: other)
    }
}
