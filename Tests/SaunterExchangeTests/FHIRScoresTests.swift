import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Scores: exported as variables and imported again, or imported from calculated totals of SDC.
@Suite struct FHIRScoresTests {
    /// `SAUNTER_FUZZ` multiplies the number of random scoring keys.
    private static let rounds = UInt64(ProcessInfo.processInfo.environment["SAUNTER_FUZZ"] ?? "") ?? 1
    private static let capture = "http://hl7.org/fhir/uv/sdc/StructureDefinition"
    private static let ordinal = "http://hl7.org/fhir/StructureDefinition/ordinalValue"

    private func imported(_ json: JSON, allowsFreeText: Bool = false) throws -> ImportedInstrument {
        let results = try FHIRImport.read(json.bytes, name: "file", allowsFreeText: allowsFreeText)
        return try #require(results.first).get()
    }

    /// Two choices with ordinal values, and a total with this expression.
    private func questionnaire(_ expression: String, _ more: String = "") throws -> JSON {
        func choice(_ linkId: String) -> String {
            let options = (0...3).map { number in
                #"""
                {"valueCoding": {"system": "http://loinc.org", "code": "LA-\#(number)", "display": "Point \#(number)"},
                 "extension": [{"url": "\#(Self.ordinal)", "valueDecimal": \#(number)}]}
                """#
            }
            return #"""
                {"linkId": "\#(linkId)", "type": "choice", "text": "How much?", "answerOption": [\#(options.joined(separator: ", "))]}
                """#
        }
        return try JSONReader.read(
            #"""
            {"resourceType": "Questionnaire", "name": "sums", "status": "draft", \#(more) "item": [
             {"linkId": "g", "type": "group", "text": "G", "item": [\#(choice("/1-1")), \#(choice("/2-2"))]},
             {"linkId": "/total", "type": "decimal", "text": "Total score", "required": true, "extension": [
               {"url": "\#(Self.capture)/sdc-questionnaire-calculatedExpression", "valueExpression": {
                 "language": "text/fhirpath", "expression": "\#(expression)"}}]}]}
            """#)
    }

    /// The answer to an item, as a number.
    private static func value(_ linkId: String) -> String {
        "%resource.item.where(linkId='g').item.where(linkId='\(linkId)').answer.value.ordinal()"
    }

    private static let lookup =
        "%questionnaire.item.where(linkId = 'g').item.where(linkId = '/1-1').answerOption"
        + ".where(valueCoding.code=%resource.item.where(linkId = 'g').item.where(linkId = '/1-1').answer.valueCoding.code)"
        + ".extension.where(url='http://hl7.org/fhir/StructureDefinition/ordinalValue').valueDecimal"

    @Test(
        arguments: [
            ("\(value("/1-1")) + \(value("/2-2"))", [3.0, nil, nil]),
            (
                "%resource.descendants().where(linkId='/1-1' or linkId='/2-2').answer.value.ordinal().sum()",
                [3, 2, nil]
            ),
            ("%resource.item.item.answer.value.ordinal().sum()", [3, 2, nil]),
            ("\(lookup) + \(value("/2-2"))", [3, nil, nil]),
            (
                "iif(\(lookup).exists(), \(lookup), 0) + iif(\(value("/2-2")).exists(), \(value("/2-2")), 0)",
                [3, 2, nil]
            ),
            ("(\(value("/1-1")) + \(value("/2-2"))) / 2 * 10", [15, nil, nil]),
            (
                "%resource.repeat(item).where(linkId='/1-1').answer.value.extension('\(ordinal)').value * 2 - 1",
                [3, 3, nil]
            ),
            ("(3 - \(value("/1-1"))) + \(value("/2-2"))", [2, nil, nil]),
            ("\(value("/2-2")) - \(value("/1-1"))", [-1, nil, nil]),
        ] as [(String, [Double?])])
    func `a calculated total becomes a scale, and the item with the total is hidden`(
        expression: String, expected: [Double?]
    ) throws {
        let source = try questionnaire(expression)

        let instrument = try imported(source)

        let read = instrument.questionnaire
        #expect(read.scoring?.scales.map(\.id) == ["total_score"])
        #expect(read.text["en"]?.scales == ["total_score": "Total score"])
        let total = try #require(read.item.last)
        #expect(total.hidden && !total.required)
        let answers: [JSONObject] = [["q1_1": "la_2", "q2_2": "la_1"], ["q1_1": "la_2"], [:]]
        let index = QuestionnaireIndex(read)
        let linkIds = read.questions.map(\.linkId)
        for (given, score) in zip(answers, expected) {
            var answers = JSONObject()
            for (linkId, member) in zip(linkIds, ["q1_1", "q2_2"]) { answers[linkId] = given[member] }
            #expect(index.scores(for: try AnswerSheet(answers: answers, of: index)).map(\.value) == [score])
        }
        #expect(
            instrument.remarks.contains {
                $0.detail.hasSuffix("is hidden: it is computed as the score total_score")
            })
        let kept = PreservedMembers(PackFiles(files: instrument.files), code: "sums", version: "1.0.0")
        #expect(FHIRPatch.equal(.object(FHIRQuestionnaire.json(read, preserved: kept)), source))
        _ = try InstrumentPack.check(PackFiles(files: instrument.files), code: "sums", version: "1.0.0")
    }

    @Test func `a total of variables becomes a scale`() throws {
        func variable(_ name: String, _ expression: String) -> String {
            #"""
            {"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {
              "name": "\#(name)", "language": "text/fhirpath", "expression": "\#(expression)"}}
            """#
        }
        let variables = [
            variable("a", Self.value("/1-1")), variable("b", Self.value("/2-2")),
            variable("any", "%a.exists() or %b.exists()"),
        ]
        let source = try questionnaire(
            "iif(%any, iif(%a.exists(), %a, 0) + iif(%b.exists(), %b, 0), {})",
            #""extension": [\#(variables.joined(separator: ", "))],"#)

        let instrument = try imported(source)

        let scale = try #require(instrument.questionnaire.scoring?.scales.first)
        #expect(scale.items.count == 2 && scale.method == .sum)
        #expect(scale.missing == .partial(needed: .count(1), remedy: .answered))
        #expect(!instrument.remarks.contains { $0.detail.contains("without effect") })
    }

    /// A made-up questionnaire in the form of the PHQ-9: choices of 0 to 3, a question without values, and a total that
    /// states no calculation.
    private func moodForm(
        _ total: String, ordinals: [ClosedRange<Int>] = [0...3, 0...3, 0...3], more: String = ""
    ) throws -> JSON {
        let choices = ordinals.enumerated().map { index, range in
            let options = range.map { number in
                #"""
                {"valueCoding": {"system": "urn:x", "code": "A\#(number)", "display": "Point \#(number)"},
                 "extension": [{"url": "\#(Self.ordinal)", "valueDecimal": \#(number)}]}
                """#
            }
            return #"""
                {"linkId": "m\#(index + 1)", "type": "choice", "text": "Mood \#(index + 1)?", "answerOption": [\#(options.joined(separator: ", "))]}
                """#
        }
        let hindrance = #"""
            {"linkId": "h", "type": "choice", "text": "How hard?", "answerOption": [
              {"valueCoding": {"code": "no"}}, {"valueCoding": {"code": "very"}}]}
            """#
        return try JSONReader.read(
            #"""
            {"resourceType": "Questionnaire", "name": "mood", "status": "draft", "item": [
             \#((choices + [hindrance]).joined(separator: ",\n")), \#(more)
             {"linkId": "t", \#(total)}]}
            """#)
    }

    @Test(arguments: [
        #""type": "decimal", "text": "Total", "readOnly": true"#,
        #""type": "integer", "text": "Points", "code": [{"system": "http://loinc.org", "code": "44261-6"}]"#,
        #""type": "decimal", "text": "M-3", "code": [{"system": "urn:x", "code": "1", "display": "M-3 total score [Reported]"}]"#,
        #""type": "decimal", "text": "Gesamtwert", "readOnly": true, "required": true"#,
        #""type": "quantity", "text": "Score", "readOnly": true"#,
    ])
    func `a total without a calculation is the sum of the choices before it, with a remark`(total: String)
        throws
    {
        let source = try moodForm(total)

        let instrument = try imported(source)

        let read = instrument.questionnaire
        let scale = try #require(read.scoring?.scales.first)
        #expect(read.scoring?.scales.count == 1)
        #expect(scale.items == ["m1", "m2", "m3"] && scale.method == .sum && scale.missing == .complete)
        let item = try #require(read.item.last)
        #expect(item.hidden && !item.required)
        let index = QuestionnaireIndex(read)
        func score(_ answers: JSONObject) throws -> [Double?] {
            index.scores(for: try AnswerSheet(answers: answers, of: index)).map(\.value)
        }
        #expect(try score(["m1": "a3", "m2": "a0", "m3": "a2"]) == [5])
        #expect(try score(["m1": "a3", "m2": "a0"]) == [nil])
        let remark = try #require(instrument.remarks.first { $0.location == "/item/4" })
        #expect(
            remark.detail
                == "t is hidden: it is computed as the score \(scale.id), the sum of m1, m2, m3. "
                + "The source does not state this: compare it with the publication")
        let kept = PreservedMembers(PackFiles(files: instrument.files), code: "mood", version: "1.0.0")
        #expect(FHIRPatch.equal(.object(FHIRQuestionnaire.json(read, preserved: kept)), source))
        _ = try InstrumentPack.check(PackFiles(files: instrument.files), code: "mood", version: "1.0.0")
    }

    private static let readOnlyTotal = #""type": "decimal", "text": "Total score", "readOnly": true"#
    private static func bounds(_ most: Int) -> String {
        #", "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueDecimal": \#(most)}]"#
    }

    @Test func `choices with different values are summed if the declared range is that of the sum`() throws {
        let source = try moodForm(Self.readOnlyTotal + Self.bounds(8), ordinals: [0...3, 0...3, 0...2])
        #expect(try imported(source).questionnaire.scoring?.scales.map(\.items) == [["m1", "m2", "m3"]])
    }

    @Test(
        arguments: [
            (
                readOnlyTotal + bounds(6), [0...3, 0...3, 0...3], "",
                "its range is … to 6, and the sum of m1, m2, m3 is 0 to 9"
            ),
            (readOnlyTotal, [0...3, 0...3, 0...4], "", "its choices have different values"),
            (readOnlyTotal, [0...3], "", "there are no choices with ordinal values before it"),
            (
                readOnlyTotal, [0...3, 0...3], #"{"linkId": "n", "type": "integer", "text": "Days"},"#,
                "n may belong to it, because it asks for a number"
            ),
        ] as [(String, [ClosedRange<Int>], String, String)])
    func `a total that may be something else is asked, and a remark states why`(
        total: String, ordinals: [ClosedRange<Int>], more: String, reason: String
    ) throws {
        let instrument = try imported(try moodForm(total, ordinals: ordinals, more: more))

        #expect(instrument.questionnaire.scoring == nil)
        #expect(instrument.questionnaire.item.last?.hidden == false)
        #expect(
            instrument.remarks.contains {
                $0.detail.contains("so participants are asked: \(reason)")
                    && $0.detail.hasPrefix("the item is called a total")
            })
    }

    @Test func `a number that participants enter is a question, also if its text says total`() throws {
        let instrument = try imported(try moodForm(#""type": "integer", "text": "Total number of days""#))

        #expect(instrument.questionnaire.scoring == nil)
        #expect(instrument.questionnaire.item.last?.hidden == false)
        #expect(!instrument.remarks.contains { $0.detail.contains("total") })
    }

    @Test func `each of two totals contains the choices of its part`() throws {
        let first = #"{"linkId": "s1", \#(Self.readOnlyTotal)},"#
        let part = #"""
            {"linkId": "n1", "type": "choice", "text": "N?", "answerOption": [{"valueInteger": 0}, {"valueInteger": 1}]},
            {"linkId": "n2", "type": "choice", "text": "N?", "answerOption": [{"valueInteger": 0}, {"valueInteger": 1}]},
            """#
        let instrument = try imported(try moodForm(Self.readOnlyTotal, more: first + part))

        #expect(
            instrument.questionnaire.scoring?.scales.map(\.items) == [["m1", "m2", "m3"], ["n1", "n2"]])
    }

    @Test(arguments: [
        ("%patient.age()", "it uses %patient"), ("\(value("/1-1")) * \(value("/2-2"))", "it multiplies"),
        ("%resource.item.where(linkId='x').answer.value.ordinal()", "it refers to x"),
        (
            "%resource.descendants().where(linkId='/1-1' or linkId='/2-2').answer.first().value.ordinal().sum()",
            "it uses first() on the answers to several items"
        ),
        ("iif(\(value("/1-1")) > 1, 1, 0)", "its condition is not about missing answers only"),
    ])
    func `a calculation that is not a sum is not imported, and the item is asked`(
        expression: String, reason: String
    ) throws {
        let instrument = try imported(try questionnaire(expression))

        #expect(
            instrument.questionnaire.scoring == nil && instrument.questionnaire.item.last?.hidden == false)
        let remark = try #require(instrument.remarks.first { $0.location == "/item/1/extension" })
        #expect(
            remark.detail.hasPrefix(
                "the calculation is not imported as a score, so participants are asked: \(reason)"))
    }

    @Test
    func `a score outside of the minimum and maximum of its scale is null after an export and an import`()
        throws
    {
        let texts = QuestionnaireText(
            title: "Falls", items: ["near": "Near falls?", "falls": "Falls?"], options: [:],
            scales: ["sum": "Sum", "double": "Double"])
        var questionnaire = Questionnaire(
            code: "falls", version: "1.0.0",
            item: [Item(linkId: "near", type: .integer), Item(linkId: "falls", type: .integer)],
            text: ["en": texts], languages: ["en"])
        questionnaire.scoring = ScoringKey(
            version: "1.0.0",
            scales: [
                Scale(id: "sum", items: ["near", "falls"], method: .sum, minimum: 0.5, maximum: 10),
                Scale(id: "double", items: ["near"], method: .value, factor: 2, maximum: 9),
            ])
        try #require(questionnaire.faults().isEmpty, "\(questionnaire.faults())")

        let instrument = try imported(
            .object(FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers())))

        let read = instrument.questionnaire
        #expect(read.scoring?.scales.map(\.minimum) == [0.5, nil])
        #expect(read.scoring?.scales.map(\.maximum) == [10, 9])
        for (answers, expected) in [
            ([4, 5], [9.0, 8.0]), ([5, 6], [nil, nil]), ([4, 7], [nil, 8]), ([0, 0], [nil, 0]),
        ] as [([Int], [Double?])] {
            for one in [questionnaire, read] {
                let index = QuestionnaireIndex(one)
                let given: JSONObject = ["near": .int(answers[0]), "falls": .int(answers[1])]
                let scores = index.scores(for: try AnswerSheet(answers: given, of: index))
                #expect(scores.map(\.value) == expected, "\(answers)")
            }
        }
        #expect(
            ExportRemarks.fhir(questionnaire).map(\.text).contains(
                "falls/scoring.yaml: minimum and maximum are exported as extensions of Saunter: "
                    + "other programs also compute scores outside of this range"))
        _ = try InstrumentPack.check(PackFiles(files: instrument.files), code: "falls", version: "1.0.0")
    }

    @Test func `random scoring keys have the same scores after an export and an import`() throws {
        var exported = 0
        for seed in 1...100 * Self.rounds {
            var maker = ScoringKeyMaker(seed: seed)
            let questionnaire = maker.questionnaire()
            try #require(questionnaire.faults().isEmpty, "seed \(seed): \(questionnaire.faults())")
            let writer = FHIRQuestionnaire.itemWriter(questionnaire)
            try #require(FHIRScores(writer).omittedScales.isEmpty, "seed \(seed)")

            for json in [
                FHIRQuestionnaire.json(questionnaire, mapping: FHIRSourceMapping()),
                FHIRQuestionnaire.json(questionnaire, preserved: PreservedMembers()),
            ] {
                let read = try imported(.object(json)).questionnaire

                #expect(
                    read.scoring?.scales.map(\.id) == questionnaire.scoring?.scales.map(\.id), "seed \(seed)")
                #expect(read.text == questionnaire.text, "seed \(seed)")
                let (before, after) = (QuestionnaireIndex(questionnaire), QuestionnaireIndex(read))
                for _ in 0..<20 {
                    let answers = maker.answers(to: questionnaire)
                    let wanted = before.scores(for: try AnswerSheet(answers: answers, of: before))
                    let found = after.scores(for: try AnswerSheet(answers: answers, of: after))
                    #expect(found.map(\.value) == wanted.map(\.value), "seed \(seed): \(answers)")
                    exported += wanted.count { $0.value != nil }
                }
            }
        }
        #expect(exported > 1500)
    }
}

/// Generates questionnaires with scoring keys that FHIRPath can express; the same seed produces the same ones.
private struct ScoringKeyMaker {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    private mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func questionnaire() -> Questionnaire {
        let items = (0...3 + below(4)).map { item("q_\($0)") }
        func texts(_ language: String) -> QuestionnaireText {
            QuestionnaireText(
                title: "Title \(language)", description: "Description \(language)",
                items: Dictionary(
                    uniqueKeysWithValues: items.map { ($0.linkId, "\($0.linkId)? \(language)") }),
                options: Dictionary(
                    uniqueKeysWithValues: items.filter { !$0.answerOption.isEmpty }.map { item in
                        let values = item.answerOption.map(\.value.text)
                        let isLabelled = item.shuffle || values[0].hasPrefix("c")
                        return (
                            item.linkId,
                            Dictionary(
                                uniqueKeysWithValues: values.map {
                                    ($0, isLabelled ? "\($0) \(language)" : $0)
                                })
                        )
                    }))
        }
        var questionnaire = Questionnaire(
            code: "made", version: "1.0.0", item: items, text: ["de": texts("de"), "en": texts("en")],
            languages: ["de", "en"])
        var scales: [Scale] = []
        for id in ["low_efficacy", "lowEfficacyx".lowercased(), "s_2", "s2", "a_b_"].prefix(1 + below(5)) {
            scales.append(scale(id, items, earlier: scales.map(\.id)))
        }
        questionnaire.scoring = ScoringKey(version: "1.0.0", scales: scales)
        for language in ["de", "en"] {
            questionnaire.text[language]?.scales = Dictionary(
                uniqueKeysWithValues: scales.map { ($0.id, "\($0.id) \(language)") })
        }
        return questionnaire
    }

    private mutating func item(_ linkId: String) -> Item {
        var item = Item(
            linkId: linkId, type: pick([.choice, .choice, .choice, .boolean, .integer, .decimal]))
        switch item.type {
        case .choice where below(2) == 0:
            item.answerOption = (0...2 + below(3)).map { ResponseOption(value: .integer($0)) }
            // The label of the options depends on it.
            item.shuffle = below(2) == 0
        case .choice:
            item.answerOption = (0...2 + below(3)).map {
                ResponseOption(value: .code("c\($0)"), weight: Double($0) * pick([1, 2.5, 0.25]))
            }
        case .integer, .decimal: (item.minValue, item.maxValue) = (0, Double(1 + below(100)))
        default: break
        }
        return item
    }

    private mutating func scale(_ id: String, _ items: [Item], earlier: [String]) -> Scale {
        var names = items.map(\.linkId).filter { _ in below(3) > 0 }
        let method: ScoringMethod = pick([.sum, .sum, .mean, .difference, .value])
        if method == .sum, below(3) == 0, let scale = earlier.last { names.append(scale) }
        if names.count < 2 { names = items.prefix(2).map(\.linkId) }
        if method == .difference { names = Array(names.prefix(2)) }
        if method == .value { names = Array(names.prefix(1)) }
        let reverse = names.filter { _ in below(3) == 0 }.filter { name in
            items.contains { $0.linkId == name }
        }
        var scale = Scale(
            id: id, items: names, reverse: reverse, method: method, factor: pick([1, 1, 4, 0.1, -2]),
            offset: pick([0, 0, -1, 12.25]))
        if method == .sum, below(3) == 0 {
            for name in names { scale.weights[name] = pick([1, 2, -1, 0.3]) }
        }
        return scale
    }

    mutating func answers(to questionnaire: Questionnaire) -> JSONObject {
        var answers = JSONObject()
        for item in questionnaire.item where below(12) > 0 {
            switch item.type {
            case .boolean: answers[item.linkId] = .bool(below(2) == 0)
            case .choice: answers[item.linkId] = pick(item.answerOption.map(\.value.json))
            default: answers[item.linkId] = .int(below(Int(item.maxValue ?? 0) + 1))
            }
        }
        return answers
    }
}
