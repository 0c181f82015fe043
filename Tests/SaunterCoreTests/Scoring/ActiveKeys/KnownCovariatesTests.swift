import Foundation
import Testing

@testable import SaunterCore

@Suite struct KnownCovariatesTests {
    private typealias Samples = QuestionnaireSamples

    private static let about: Questionnaire = {
        var questionnaire = Samples.questionnaire([
            Samples.choice("sex", ["1", "2"]), Item(linkId: "born", type: .date),
            Item(linkId: "year", type: .integer), Samples.rating("rank", 0...4),
        ])
        questionnaire.code = "about_you"
        return questionnaire
    }()

    private static func sheet(
        _ answers: JSONObject, day: Int, id: String = "00000000-0000-4000-8000-000000000001"
    ) throws -> CovariateSourceSheet {
        CovariateSourceSheet(
            questionnaire: about, sheet: try AnswerSheet(answers: answers, of: about),
            completedAt: Instant(milliseconds: Int64(day) * 86_400_000),
            id: try #require(SheetID(id)))
    }

    private static let sex = CovariateSource(
        id: "sex", questionnaire: "about_you", item: "sex", codes: ["1": "female", "2": "male"])
    private static let sexCovariate = Covariate(id: "sex", source: .profile, codes: ["female", "male"])

    private static func value(
        _ covariate: Covariate, _ covariateSources: [CovariateSource], _ sheets: [CovariateSourceSheet],
        day: Int = 10,
        on date: LocalDate = LocalDate(days: 10)
    ) -> CovariateValue? {
        KnownCovariates(covariateSources, arm: "plants", sheets: sheets).values(
            for: [covariate], at: Instant(milliseconds: Int64(day) * 86_400_000), on: date)[covariate.id]
    }

    @Test(arguments: [(4, nil), (5, "female"), (6, "female"), (7, "male"), (10, "male")] as [(Int, String?)])
    func `the value comes from the newest sheet that is not later than the scored sheet`(
        day: Int, code: String?
    ) throws {
        let sheets = [
            try Self.sheet(["sex": "2"], day: 7), try Self.sheet(["sex": "1"], day: 5),
        ]

        #expect(Self.value(Self.sexCovariate, [Self.sex], sheets, day: day) == code.map { .code($0) })
    }

    @Test(arguments: [(4, "stones"), (5, "plants"), (6, "plants"), (7, "trees"), (9, "trees")])
    func `the arm is the arm at the time of the scored sheet`(day: Int, arm: String) throws {
        func at(_ day: Int) -> Instant { Instant(milliseconds: Int64(day) * 86_400_000) }
        let known = KnownCovariates(
            [], arm: "trees",
            formerArms: [FormerArm(arm: "stones", until: at(5)), FormerArm(arm: "plants", until: at(7))],
            sheets: [])
        let armCovariate = Covariate(id: "arm", source: .enrolment, codes: ["plants", "stones", "trees"])

        let withSexSheet = try known.adding(Self.sheet(["sex": "2"], day: 1))

        #expect(
            withSexSheet.values(for: [armCovariate], at: at(day), on: LocalDate(days: day)) == [
                "arm": .code(arm)
            ])
    }

    @Test func `if two sheets have the same instant, the sheet with the greater id supplies the value`()
        throws
    {
        let one = try Self.sheet(["sex": "1"], day: 5, id: "00000000-0000-4000-8000-000000000001")
        let other = try Self.sheet(["sex": "2"], day: 5, id: "00000000-0000-4000-8000-000000000002")

        #expect(Self.value(Self.sexCovariate, [Self.sex], [one, other]) == .code("male"))
        #expect(Self.value(Self.sexCovariate, [Self.sex], [other, one]) == .code("male"))
    }

    @Test func `a later sheet that leaves the item blank does not change the value`() throws {
        let sheets = [try Self.sheet(["sex": "1"], day: 5), try Self.sheet(["rank": 1], day: 6)]

        #expect(Self.value(Self.sexCovariate, [Self.sex], sheets) == .code("female"))
    }

    @Test(
        arguments: [("1990-11-22", 35), ("1990-11-21", 36), ("1990-11-20", 36), ("2026-11-21", 0)]
            as [(String, Double)])
    func `years since a date are the full years on the day of the scored sheet`(born: String, years: Double)
        throws
    {
        let origin = CovariateSource(
            id: "age", questionnaire: "about_you", item: "born", reading: .yearsSince)
        let today = try #require(LocalDate("2026-11-21"))

        let value = Self.value(
            Covariate(id: "age", source: .profile), [origin],
            [try Self.sheet(["born": .string(born)], day: 1)],
            on: today)

        #expect(value == .number(years))
    }

    @Test(arguments: [(1990, 36), (2026, 0), (0, nil), (-5, nil), (99_999, nil)] as [(Int, Double?)])
    func `years since a year are the difference of the years, if the year is valid`(year: Int, years: Double?)
        throws
    {
        let origin = CovariateSource(
            id: "age", questionnaire: "about_you", item: "year", reading: .yearsSince)
        let today = try #require(LocalDate("2026-11-21"))

        let value = Self.value(
            Covariate(id: "age", source: .profile), [origin], [try Self.sheet(["year": .int(year)], day: 1)],
            on: today)

        #expect(value == years.map { .number($0) })
    }

    @Test func `a numeric item supplies a number, and the enrolment supplies the arm`() throws {
        let rank = CovariateSource(id: "rank", questionnaire: "about_you", item: "rank")
        let sheets = [try Self.sheet(["rank": 3], day: 1)]

        #expect(Self.value(Covariate(id: "rank", source: .profile), [rank], sheets) == .number(3))
        #expect(
            Self.value(Covariate(id: "arm", source: .enrolment, codes: ["plants"]), [], []) == .code("plants")
        )
        #expect(Self.value(Covariate(id: "arm", source: .profile, codes: ["plants"]), [], []) == nil)
        #expect(Self.value(Self.sexCovariate, [], sheets) == nil)
    }

    @Test func `known covariates are written in the order of their names`() {
        let values: [String: CovariateValue] = ["sex": .code("female"), "age": .number(36)]

        #expect(values.text == #"{"age":36,"sex":"female"}"#)
    }
}
