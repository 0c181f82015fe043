import Testing

@testable import SaunterCore

@Suite struct LocationTests {
    private typealias Samples = QuestionnaireSamples

    private static let items: [Item] = [
        Samples.item("n", .integer),
        Samples.item("spot", .location),
        Samples.item("stops", .location) { ($0.repeats, $0.decimals, $0.maxOccurs) = (true, 1, 3) },
        Samples.item("trips", .group) {
            $0.repeats = true
            $0.item = [
                Samples.item("name", .string), Samples.item("goal", .location) { $0.decimals = 0 },
            ]
        },
        Samples.item("k", .decimal),
    ]

    private static let index = QuestionnaireIndex(Samples.questionnaire(items))

    private func location(_ json: JSON, decimals: Int? = nil) throws -> Answer? {
        try Samples.item("spot", .location) { $0.decimals = decimals }.answer(from: json)
    }

    private func faults(_ answers: JSONObject) -> [String] {
        do throws(Faults) {
            _ = try AnswerSheet(answers: answers, of: Self.index)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test(
        arguments: [
            ("52.520008", "13.404954", nil, 52.52, 13.4), ("52.525", "13.415", 2, 52.52, 13.42),
            ("52.535", "-13.425", 2, 52.54, -13.42), ("52.5000000000001", "13.5", 0, 53, 14),
            ("-0.004", "0", 2, 0, 0), ("89.999", "-179.999", 2, 90, -180), ("90", "180", 5, 90, 180),
            ("52.52000659999999", "13.404953999999975", 5, 52.52001, 13.40495),
            ("1.5", "2.5", 0, 2, 2), ("5e-1", "1e2", 1, 0.5, 100),
        ] as [(String, String, Int?, Double, Double)])
    func `coordinates are rounded half-even to the decimals of the item`(
        latitude: String, longitude: String, decimals: Int?, expectedLatitude: Double,
        expectedLongitude: Double
    ) throws {
        let json = try JSONReader.read(#"{"lat": \#(latitude), "lon": \#(longitude)}"#)

        let answer = try location(json, decimals: decimals)

        #expect(
            answer == .location(Location(latitude: expectedLatitude, longitude: expectedLongitude)))
        #expect(answer?.json.text.contains("-0,") == false)
    }

    @Test func `the accuracy is optional and is kept`() throws {
        let answer = try location(["lat": 1, "lon": 2, "accuracy_m": 12.345])

        #expect(answer == .location(Location(latitude: 1, longitude: 2, accuracyM: 12.345)))
        #expect(answer?.json == ["lat": 1, "lon": 2, "accuracy_m": 12.345])
        #expect(try location(["lat": 1, "lon": 2, "accuracy_m": nil])?.json == ["lat": 1, "lon": 2])
        #expect(try location(nil) == nil)
    }

    @Test(
        arguments: [
            (["lat": 90.001, "lon": -180.001], ["/lat above_maximum", "/lon below_minimum"]),
            (["lat": -91, "lon": 181], ["/lat below_minimum", "/lon above_maximum"]),
            (["lat": 0, "lon": 0, "accuracy_m": -1], ["/accuracy_m below_minimum"]),
            (["lat": 0, "lon": 0, "accuracy_m": 100_000.5], ["/accuracy_m above_maximum"]),
            (["lat": 0, "lon": 0, "accuracy_m": 100_000], []),
            (["lat": "52", "lon": true], ["/lat wrong_type", "/lon wrong_type"]),
            (["lat": nil, "lon": 0], ["/lat wrong_type"]),
            (["lat": 0], [" wrong_type"]), (["lat": 0, "lon": 0, "alt": 3], [" wrong_type"]),
            ([52, 13], [" wrong_type"]), ("52 13", [" wrong_type"]), (52, [" wrong_type"]),
        ] as [(JSON, [String])])
    func `an invalid location is rejected with its pointers`(json: JSON, expected: [String]) {
        #expect(faults(["spot": json]) == expected.map { "/answers/spot\($0)" })
    }

    @Test(arguments: ["1e400", "-1e400", "123456789012345678901234567890"])
    func `a number that is too large for a double is outside the range`(number: String) throws {
        let json = try JSONReader.read(#"{"lat": 0, "lon": \#(number)}"#)
        let isNegative = number.hasPrefix("-")

        #expect(
            faults(["spot": json]) == ["/answers/spot/lon \(isNegative ? "below_minimum" : "above_maximum")"])
    }

    @Test func `a location is stored as three numbers and a code, and returned as it was rounded`() throws {
        let codec = AnswerCodec(Self.index)
        let sheet = try AnswerSheet(
            answers: ["n": 7, "spot": ["lat": 52.5251, "lon": 13.4, "accuracy_m": 30], "k": 1.5],
            of: Self.index)

        let stored = codec.encode(sheet)

        #expect(stored.numbers == [7, 52.53, 13.4, 30, 1.5])
        #expect(stored.slots == [0, 0, -996, -996, 0])
        #expect(codec.numberCount == 5 && codec.numberIndices(of: "spot") == 1..<4)
        #expect(codec.numberIndex(of: "k") == 4)
        let restored = try codec.decode(stored)
        #expect(restored.states == sheet.states)
        #expect(restored.json["spot"] == ["lat": 52.53, "lon": 13.4, "accuracy_m": 30])
        #expect(try codec.decode(stored, isPartial: true).states == sheet.states)
    }

    @Test func `a blank location keeps its reason`() throws {
        let codec = AnswerCodec(Self.index)
        let sheet = try AnswerSheet(answers: [:], reasons: ["spot": "refused"], of: Self.index)

        let stored = codec.encode(sheet)

        #expect(stored.numbers == [nil, nil, nil, nil, nil] && stored.slots[1] == -995)
        #expect(try codec.decode(stored).state(of: "spot") == .missing(.refused))
    }

    @Test func `locations in lists and groups are stored as rows`() throws {
        let codec = AnswerCodec(Self.index)
        let sheet = try AnswerSheet(
            answers: [
                "stops": [["lat": 1.25, "lon": 2], ["lat": 3, "lon": 4, "accuracy_m": 5]],
                "trips": [["name": "a", "goal": ["lat": 1.5, "lon": 2.5]], ["name": "b"]],
            ], of: Self.index)

        var stored = codec.encode(sheet)
        stored.setRepeated(try stored.repeatedJSON.map { try JSONReader.read($0.text) })

        let rows = stored.repeated.filter { $0.type == "location" }
        #expect(
            rows.map { "\($0.linkId).\($0.instance) \($0.option) \($0.value ?? $0.missing?.code ?? "-")" }
                == [
                    "stops.1  1.2", "stops.1 lon 2", "stops.1 accuracy_m -", "stops.2  3", "stops.2 lon 4",
                    "stops.2 accuracy_m 5", "goal.1  2", "goal.1 lon 2", "goal.1 accuracy_m -",
                    "goal.2  skipped", "goal.2 lon skipped", "goal.2 accuracy_m skipped",
                ])
        #expect(try codec.decode(stored).states == sheet.states)
        #expect(sheet.json["stops"] == [["lat": 1.2, "lon": 2], ["lat": 3, "lon": 4, "accuracy_m": 5]])
        #expect(faults(["stops": [["lat": 99, "lon": 0]]]) == ["/answers/stops/0/lat above_maximum"])
    }

    @Test func `damaged stored coordinates are rejected, and the fault names the item`() throws {
        let codec = AnswerCodec(Self.index)
        let good = codec.encode(
            try AnswerSheet(
                answers: ["spot": ["lat": 1, "lon": 2], "stops": [["lat": 1, "lon": 2]]], of: Self.index))
        func damaged(_ change: (inout StoredAnswers) -> Void) -> StoredAnswersFault? {
            var stored = good
            change(&stored)
            do throws(StoredAnswersFault) {
                _ = try codec.decode(stored)
                return nil
            } catch {
                return error
            }
        }

        #expect(damaged { $0.numbers[1] = nil } == .number(linkId: "spot"))
        #expect(damaged { $0.numbers[2] = 181 } == .number(linkId: "spot"))
        #expect(damaged { $0.slots[1] = 1 } == .slot(linkId: "spot"))
        #expect(damaged { $0.numbers.removeLast() } == .numberCount(expected: 5, actual: 4))
        #expect(damaged { $0.repeated[2].value = "far" } == .repeated(linkId: "stops"))
        #expect(damaged { $0.repeated[0].value = "91" } == .repeated(linkId: "stops"))
    }

    @Test func `the decimals are checked, and are part of both forms`() {
        func check(_ change: (inout Item) -> Void) -> [String] {
            Samples.questionnaire([Samples.item("spot", .location, change)]).faults()
                .map { "\($0.pointer) \($0.code)" }
        }

        #expect(check { $0.decimals = nil } == [] && check { $0.decimals = 5 } == [])
        #expect(check { $0.decimals = 6 } == ["/item/0/decimals out_of_range"])
        #expect(check { $0.decimals = -1 } == ["/item/0/decimals out_of_range"])
        #expect(
            check { $0.initial = .location(Location(latitude: 1, longitude: 2)) }
                == ["/item/0/initial not_for_type"])
        let other = Samples.questionnaire([Samples.item("n", .integer) { $0.decimals = 1 }])
        #expect(other.faults().map { "\($0.pointer) \($0.code)" } == ["/item/0/decimals not_for_type"])
        let questionnaire = Samples.questionnaire([Samples.item("spot", .location)])
        #expect(questionnaire.json()["item"]?.array?[0]["decimals"] == 2)
        #expect(questionnaire.json(language: "en")["item"]?.array?[0]["decimals"] == 2)
    }

    @Test func `a condition can only ask whether a location exists, and expressions cannot name it`() throws {
        func faults(_ comparison: Condition.Comparison, _ answer: Answer) -> [String] {
            Samples.questionnaire([
                Samples.item("spot", .location),
                Samples.item("why", .string) {
                    $0.enableWhen = [Samples.when("spot", comparison, answer)]
                },
            ]).faults().map { "\($0.pointer) \($0.code)" }
        }

        #expect(faults(.exists, .boolean(true)) == [])
        let equal = Answer.location(Location(latitude: 1, longitude: 2))
        #expect(faults(.equal, equal) == ["/item/1/enableWhen/0/operator not_comparable"])
        #expect(
            faults(.less, equal) == [
                "/item/1/enableWhen/0/operator not_ordered", "/item/1/enableWhen/0/operator not_comparable",
            ])
        let named = Samples.questionnaire([
            Samples.item("spot", .location),
            Samples.item("why", .string) { $0.enableWhenExpression = "spot = 1" },
        ])
        #expect(named.faults().map(\.code) == ["bad_expression"])

        let shown = Samples.questionnaire([
            Samples.item("spot", .location),
            Samples.item("why", .string) {
                $0.enableWhen = [Samples.when("spot", .exists, .boolean(true))]
            },
        ])
        #expect(
            try AnswerSheet(answers: ["spot": ["lat": 1, "lon": 2], "why": "x"], of: shown).cleared == [])
        #expect(try AnswerSheet(answers: ["why": "x"], of: shown).cleared == ["why"])
    }

    @Test func `a location has no value for scores and covariates`() {
        let scale = Scale(id: "s", items: ["spot"], method: .sum)
        let questionnaire = Samples.questionnaire(
            [Samples.item("spot", .location)], scoring: ScoringKey(version: "1.0.0", scales: [scale]))

        #expect(questionnaire.faults().map(\.code).contains("not_numeric"))
        let weights = ItemWeights(Samples.item("spot", .location))
        #expect(weights.value(of: .location(Location(latitude: 1, longitude: 2))) == nil)
    }

    @Test func `a copy of a body contains no finer coordinates than the sheet`() {
        let fine: JSON = ["lat": 52.520008, "lon": 13.404954]
        let body: JSON = [
            "questionnaire": "sample",
            "answers": [
                "n": 1, "spot": fine, "stops": [fine, "52.520008"],
                "trips": [["name": "a", "goal": fine], 3],
            ],
        ]

        let copy = Self.index.roundingLocations(in: body)

        #expect(
            copy == [
                "questionnaire": "sample",
                "answers": [
                    "n": 1, "spot": ["lat": 52.52, "lon": 13.4], "stops": [["lat": 52.5, "lon": 13.4], nil],
                    "trips": [["name": "a", "goal": ["lat": 53, "lon": 13]], 3],
                ],
            ])
        let plain = Samples.questionnaire([Samples.item("n", .integer)])
        #expect(QuestionnaireIndex(plain).roundingLocations(in: body) == body)
    }
}
