import Testing

@testable import SaunterCore

@Suite struct LookupTableTests {
    private typealias S = ScoringSamples
    private typealias Samples = QuestionnaireSamples

    private let items = [Samples.rating("q1", 0...2), Samples.choice("sex", ["f", "m"])]
    private let covariates = [
        Covariate(id: "sex", source: .item("sex")), Covariate(id: "age", source: .profile),
    ]

    private func table(_ rows: [LookupTable.Row]) -> LookupTable {
        LookupTable(id: "t", source: "made up", checksum: "0", rows: rows)
    }

    private func row(_ raw: ScoreRange, _ value: Double, error: Double? = nil) -> LookupTable.Row {
        LookupTable.Row(.score(raw: raw, value: value, standardError: error))
    }

    private func questionnaire(_ table: LookupTable, _ step: ScoreTransform) -> Questionnaire {
        S.questionnaire(
            items, [S.scale(["q1"], .value) { $0.transform = [step] }], covariates: covariates,
            tables: [table])
    }

    @Test func `a raw value has the score and the standard error of its row`() throws {
        let table = table([
            row(ScoreRange(exactly: 0), 7.25, error: 1.5), row(ScoreRange(exactly: 1), 9.51),
        ])
        let questionnaire = questionnaire(table, .lookup(table: "t"))

        let scores = try (0...2).map { try S.scores(questionnaire, ["q1": .int($0)])[0] }

        #expect(scores.map(\.value) == [7.25, 9.51, nil])
        #expect(scores.map(\.reason) == [nil, nil, .notInTable])
        #expect(scores.map(\.standardError) == [1.5, nil, nil])
        #expect(S.faults(questionnaire) == ["/scales/0/transform/0/lookup table_gap"])
    }

    @Test func `norms depend on sex and age, and without them there is no score`() throws {
        func norm(_ sex: String, _ age: ScoreRange, _ mean: Double, _ deviation: Double) -> LookupTable.Row {
            LookupTable.Row(
                .norm(mean: mean, standardDeviation: deviation),
                when: [ScoreCondition("sex", .code(sex)), ScoreCondition("age", .range(age))])
        }
        let young = ScoreRange(from: 18, below: 40)
        let table = table([
            norm("f", young, 1, 0.5), norm("m", young, 1.5, 0.25), norm("f", ScoreRange(from: 40), 0, 2),
        ])
        func score(_ form: NormForm, _ answers: JSONObject, age: Double?) throws -> Score {
            let questionnaire = questionnaire(table, .norm(table: "t", form: form))
            #expect(S.faults(questionnaire) == [])
            return try S.scores(
                questionnaire, answers, given: age.map { ["age": .number($0)] } ?? [:])[0]
        }

        #expect(try score(.z, ["q1": 2, "sex": "f"], age: 39.9).value == 2)
        #expect(try score(.t, ["q1": 2, "sex": "f"], age: 39.9).value == 70)
        #expect(try score(.t, ["q1": 1, "sex": "m"], age: 18).value == 30)
        #expect(try score(.z, ["q1": 2, "sex": "f"], age: 40).value == 1)
        #expect(try score(.percentile, ["q1": 1, "sex": "f"], age: 20).value == 50)
        let percentile = try #require(try score(.percentile, ["q1": 2, "sex": "f"], age: 20).value)
        #expect(abs(percentile - 97.724_986_805_182_08) < 1e-12)
        #expect(try score(.z, ["q1": 2, "sex": "m"], age: 40).reason == .notInTable)
        #expect(try score(.z, ["q1": 2, "sex": "f"], age: 17).reason == .notInTable)
        #expect(try score(.z, ["q1": 2], age: 20).reason == .noCovariate)
        #expect(try score(.z, ["q1": 2, "sex": "f"], age: nil).reason == .noCovariate)
        #expect(try score(.z, ["q1": 2, "sex": "f"], age: .nan).reason == .noCovariate)
    }

    @Test func `rows that overlap, lack numbers or use unknown names are faults`() {
        func faults(_ rows: [LookupTable.Row], _ step: ScoreTransform = .lookup(table: "t")) -> [String] {
            S.faults(questionnaire(table(rows), step))
        }
        let all = (0...2).map { row(ScoreRange(exactly: Double($0)), 1) }
        let norm = LookupTable.Row(.norm(mean: 0, standardDeviation: 1))

        #expect(faults(all) == [])
        #expect(faults(all + [row(ScoreRange(exactly: 2), 1)]) == ["/tables/0/rows/3 overlapping_rows"])
        #expect(faults(Array(all.dropFirst())) == ["/scales/0/transform/0/lookup table_gap"])
        #expect(faults(Array(all.dropLast())) == ["/scales/0/transform/0/lookup table_gap"])
        #expect(faults([all[0], all[2]]) == ["/scales/0/transform/0/lookup table_gap"])
        #expect(faults([]) == ["/tables/0/rows bad_table"])
        #expect(faults([norm]) == ["/scales/0/transform/0/lookup bad_table"])
        #expect(faults(all, .norm(table: "t", form: .z)) == ["/scales/0/transform/0/norm bad_table"])
        #expect(
            faults([LookupTable.Row(.norm(mean: 0, standardDeviation: 0))], .norm(table: "t", form: .z))
                == ["/tables/0/rows/0 out_of_range"])
        #expect(
            faults([row(ScoreRange(from: 0), .nan, error: -1)]) == ["/tables/0/rows/0 out_of_range"])
        #expect(
            faults([
                LookupTable.Row(
                    .score(raw: ScoreRange(from: 0), value: 1, standardError: nil),
                    when: [ScoreCondition("sex", .code("x")), ScoreCondition("weight", .code("x"))])
            ]) == ["/tables/0/rows/0/when/0/is unknown_option", "/tables/0/rows/0/when/1/of unknown_item"])
    }

    @Test func `the digest contains the checksum of the table`() throws {
        let one = try #require(questionnaire(table([row(ScoreRange(from: 0), 1)]), .pomp).scoring)
        var other = one
        other.tables[0].checksum = "1"

        #expect(one.digest != other.digest)
    }
}
