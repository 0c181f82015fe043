import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct InstrumentPackTests {
    @Test(arguments: [
        ("pss_10", 10, [0, 4]), ("maas", 15, [1, 6]), ("who_5", 5, [0, 5]), ("sus", 10, [1, 5]),
    ])
    func `a published instrument has its number of items and its range`(
        code: String, count: Int, range: [Int]
    ) throws {
        let questionnaire = try InstrumentPack.read(RealPacks.instrument(code), code: code, version: "1.0.0")
            .questionnaire

        #expect(questionnaire.questions.count == count)
        for item in questionnaire.questions {
            #expect(item.answerOption.first?.value == .integer(range[0]))
            #expect(item.answerOption.last?.value == .integer(range[1]))
            #expect(item.answerOption.count == range[1] - range[0] + 1)
            #expect(item.required)
        }
        #expect(questionnaire.languages == ["de", "en"])
    }

    @Test func `the reversed items are those of the published key`() throws {
        let stress = try InstrumentPack.read(RealPacks.instrument("pss_10"), code: "pss_10", version: "1.0.0")
        let usability = try InstrumentPack.read(RealPacks.instrument("sus"), code: "sus", version: "1.0.0")

        #expect(stress.questionnaire.scoring?.scales.first?.reverse == ["q4", "q5", "q7", "q8"])
        #expect(usability.questionnaire.scoring?.scales.first?.reverse == ["q2", "q4", "q6", "q8", "q10"])
    }

    @Test func `a range of items is read as its items`() throws {
        let files = try RealPacks.instrument("sus")
        let path = "instruments/sus/1.0.0/scoring.yaml"
        let written = try InstrumentPack.check(files, code: "sus", version: "1.0.0").questionnaire.scoring

        let ranged = try files.replacing(
            "[q1, q2, q3, q4, q5, q6, q7, q8, q9, q10]", with: "[q1, q2..q9, q10]", in: path)
        let read = try InstrumentPack.check(ranged, code: "sus", version: "1.0.0").questionnaire.scoring

        #expect(read == written && read != nil)
    }

    @Test func `a scale can be a helper`() throws {
        let files = try RealPacks.instrument("sus").replacing(
            "method: sum", with: "method: sum\n    helper: true", in: "instruments/sus/1.0.0/scoring.yaml")

        let key = try InstrumentPack.check(files, code: "sus", version: "1.0.0").questionnaire.scoring

        #expect(key?.scales.map(\.isHelper) == [true])
        #expect(key?.json["scales"]?.array?.first?["helper"] == true)
    }

    @Test func `the direction of a scale does not change the digest of its key`() throws {
        let path = "instruments/sus/1.0.0/scoring.yaml"
        let files = try RealPacks.instrument("sus")
        let opposite = try files.replacing("higher_is_better", with: "lower_is_better", in: path)

        let key = try InstrumentPack.check(files, code: "sus", version: "1.0.0").questionnaire.scoring
        let other = try InstrumentPack.check(opposite, code: "sus", version: "1.0.0").questionnaire.scoring

        #expect(key?.scales.map(\.isHigherBetter) == [true])
        #expect(other?.scales.map(\.isHigherBetter) == [false])
        #expect(key?.digest == other?.digest && key != nil)
    }

    @Test func `the direction of a scale is stated once`() throws {
        let change = "change: {sd: 20, reliability: 0.9, source: made up, direction: higher_is_better}"
        let files = try RealPacks.instrument("sus").replacing(
            "direction: higher_is_better", with: "direction: lower_is_better\n    \(change)",
            in: "instruments/sus/1.0.0/scoring.yaml")

        #expect {
            _ = try InstrumentPack.check(files, code: "sus", version: "1.0.0")
        } throws: { error in
            (error as? PackFaults)?.list.map(\.message)
                == ["`change` has the direction of the scale; remove `direction` from the scale"]
        }
    }

    @Test(
        arguments: [
            ("q1..q3", ["q1", "q2", "q3"]), ("q08..q11", ["q08", "q09", "q10", "q11"]),
            ("a1_9..a1_11", ["a1_9", "a1_10", "a1_11"]), ("q3..q1", nil), ("q1..q1", nil), ("q1..r3", nil),
            ("q1..q03", nil), ("q08..q100", nil), ("1..3", nil), ("q..r", nil), ("q1...q3", nil),
            ("q1..q9999", nil), ("q1..q3..q5", nil),
        ] as [(String, [String]?)])
    func `a range has two names that differ only in an increasing number`(text: String, names: [String]?) {
        #expect(ItemRange(text)?.names == names)
    }

    @Test func `a fault of an item in a range has the line of the range`() throws {
        let path = "instruments/sus/1.0.0/scoring.yaml"
        let files = try RealPacks.instrument("sus").replacing(
            "[q1, q2, q3, q4, q5, q6, q7, q8, q9, q10]", with: "\n      - q1..q9\n      - q10..q11", in: path)

        #expect {
            _ = try InstrumentPack.check(files, code: "sus", version: "1.0.0")
        } throws: { error in
            (error as? PackFaults)?.list.map(\.line) == [8]
        }
    }

    @Test func `SOURCE.md of every instrument states whether it is validated`() throws {
        #expect(RealPacks.codes.count >= 30)
        for code in RealPacks.codes {
            let path = try "instruments/\(code)/\(RealPacks.version(code))/SOURCE.md"
            let source = try #require(RealPacks.instrument(code)[path])
            #expect(source.contains("validated"), "\(code)")
        }
    }

    @Test func `a label of an item takes precedence over the label of its option set`() throws {
        let text = try InstrumentPack.read(
            RealPacks.instrument("after_walk"), code: "after_walk", version: "1.0.0"
        )
        .questionnaire.text["en"]

        #expect(text?.options["exertion"]?["0"] == "0 – effortless")
        #expect(text?.options["exertion"]?["1"] == "1")
        #expect(text?.options["attentiveness"]?["10"] == "10 – all the time")
    }

    @Test(arguments: [
        (
            "{correctWithin: 24h, deleteWithin: 90m}",
            EditPolicy(
                correctWithin: .within(seconds: 86_400), deleteWithin: .within(seconds: 5400))
        ),
        (
            "{correctWithin: always, deleteWithin: always, deletion: purge}",
            EditPolicy(correctWithin: .always, deleteWithin: .always, deletion: .purge)
        ),
        ("{deleteWithin: 1h, deletion: keep}", EditPolicy(deleteWithin: .within(seconds: 3600))),
        ("{}", EditPolicy()),
    ])
    func `an edit limit is a duration or always`(yaml: String, policy: EditPolicy) throws {
        let files = try RealPacks.instrument("after_walk").replacing(
            "edit: {correctWithin: 24h}", with: "edit: \(yaml)",
            in: "instruments/after_walk/1.0.0/questionnaire.yaml")

        let pack = try InstrumentPack.read(files, code: "after_walk", version: "1.0.0")

        #expect(pack.questionnaire.edit == policy)
    }

    @Test(arguments: [
        ("{correctWithin: ever}", "expected a duration such as 2d, 5h or 30m, or always, found \"ever\""),
        ("{deletion: erase}", "expected one of keep, purge, found \"erase\""),
    ])
    func `an edit limit of another form is a fault`(yaml: String, message: String) throws {
        let files = try RealPacks.instrument("after_walk").replacing(
            "edit: {correctWithin: 24h}", with: "edit: \(yaml)",
            in: "instruments/after_walk/1.0.0/questionnaire.yaml")

        let faults = #expect(throws: PackFaults.self) {
            try InstrumentPack.read(files, code: "after_walk", version: "1.0.0")
        }

        #expect(faults?.list.map(\.message) == [message])
    }

    @Test func `items of every type, groups and defaults are read`() throws {
        let yaml = """
            - linkId: body
              type: group
              itemControl: table
              item:
                - {linkId: weight, type: decimal, minValue: 0.5, maxValue: 500, maxDecimalPlaces: 1, unit: kg, initial: 70.5}
                - {linkId: awake, type: time, initial: "06:30"}
            - {linkId: born, type: date, initial: 1990-02-28, readOnly: true}
            - {linkId: seen, type: dateTime, initial: "2026-11-21T08:00:00Z", hidden: true}
            - {linkId: sure, type: boolean, initial: false}
            - {linkId: name, type: string, minLength: 1, initial: "5"}
            - {linkId: places, type: choice, repeats: true, answerOption: [a, {value: b, weight: 2.5}, "1"], initial: [a, "1"]}
            - linkId: why
              type: text
              enableBehavior: any
              enableWhen:
                - {question: sure, operator: exists, answer: true}
                - {question: places, operator: "=", answer: b}
                - {question: born, operator: "<", answer: 2000-01-01}
                - {question: weight, operator: ">", answer: 80}
            """
        let log = FaultLog(file: "f")
        let root = try #require(YAMLReader.read(yaml, log: log))

        let items = ItemParser(log: log, optionSets: [:]).items(root)

        #expect(log.faults == [])
        #expect(items.map(\.type) == [.group, .date, .dateTime, .boolean, .string, .choice, .text])
        #expect(items[0].item.map(\.initial) == [.decimal(70.5), LocalTime("06:30").map { .time($0) }])
        #expect(items[1].initial == LocalDate("1990-02-28").map { .date($0) })
        #expect(items[2].initial == Instant("2026-11-21T08:00:00Z").map { .dateTime($0) })
        #expect(items[4].initial == .text("5"))
        #expect(items[5].initial == .options([.code("a"), .code("1")]))
        #expect(items[5].answerOption.map(\.weight) == [nil, 2.5, nil])
        #expect(items[6].enableBehavior == .any)
        #expect(
            items[6].enableWhen.map(\.answer) == [
                .boolean(true), .option(.code("b")), try .date(#require(LocalDate("2000-01-01"))),
                .decimal(80),
            ])
    }

    @Test func `only a check rejects an instrument that has scores but no test vectors`() throws {
        let files = try RealPacks.instrument("maas").setting("instruments/maas/1.0.0/vectors.csv", nil)

        let faults = #expect(throws: PackFaults.self) {
            try InstrumentPack.check(files, code: "maas", version: "1.0.0")
        }

        #expect(
            faults?.description
                == "instruments/maas/1.0.0/vectors.csv:1: the file is missing: an instrument with scores needs worked cases"
        )
        #expect(try InstrumentPack.read(files, code: "maas", version: "1.0.0").vectorCount == 0)
    }
}
