import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct FHIRPathTests {
    private static func item(_ linkId: String, _ type: ItemType, repeats: Bool = false) -> Item {
        var item = Item(linkId: linkId, type: type)
        item.repeats = repeats
        return item
    }

    private static let items: [String: Item] = [
        "1.1": item("smokes", .boolean), "n": item("n", .integer), "d": item("d", .date),
        "c": item("c", .choice), "m": item("m", .choice, repeats: true), "t": item("t", .string),
        "w": item("w", .quantity), "g": item("g", .group), "inner": item("inner", .integer),
        "below": item("below", .integer),
    ]
    /// One item is in a group, one is under a question.
    private static let parents = ["inner": "g", "below": "smokes"]

    private static func translated(_ source: String, currentItem: String? = nil) throws(TranslationError)
        -> String
    {
        var translation = FHIRPathTranslator(
            items: items, parents: parents, currentItem: currentItem.flatMap { items[$0] }
        ) { linkId, code in
            ["A-1": .code("a_1"), "2": .integer(2)][code]
        }
        return try translation.expression(source)
    }

    /// The answer to an item.
    private static func path(_ linkId: String) -> String {
        "%resource.item.where(linkId='\(linkId)').answer.value"
    }

    @Test(arguments: [
        ("\(path("n")) > 3", "n > 3"), ("\(path("n"))=3.5", "n = 3.5"), ("-1 <= \(path("n"))", "-1 <= n"),
        ("\(path("1.1"))", "smokes"), ("\(path("1.1")) = true", "smokes = true"),
        ("\(path("1.1")).not()", "not (smokes)"), ("\(path("t")) = 'x y'", "t = 'x y'"),
        ("\(path("n")) > 1 and \(path("n")) < 9 or \(path("1.1"))", "((n > 1 and n < 9) or smokes)"),
        ("\(path("n")) > 1 and (\(path("n")) < 9 or \(path("1.1")))", "(n > 1 and (n < 9 or smokes))"),
        ("(\(path("n")) > 1).not()", "not (n > 1)"), ("\(path("n")).exists()", "exists(n)"),
        ("\(path("n")).empty()", "not exists(n)"), ("\(path("c")).code = 'A-1'", "c = 'a_1'"),
        ("'A-1' = \(path("c")).code", "'a_1' = c"), ("\(path("c")).code != '2'", "c != 2"),
        ("\(path("c")) = 4", "c = 4"), ("'A-1' in \(path("m")).code", "(exists(m) and 'a_1' in m)"),
        ("\(path("m")).code contains 'A-1'", "(exists(m) and 'a_1' in m)"),
        (
            "%resource.item.where(linkId='c').answer.where(value.code='A-1').exists()",
            "(exists(c) and c = 'a_1')"
        ),
        (
            "%resource.item.where(linkId='m').answer.where(valueCoding.code='A-1').exists().not()",
            "not ((exists(m) and 'a_1' in m))"
        ),
        ("\(path("m")).where(code = 'A-1').empty()", "not (exists(m) and 'a_1' in m)"),
        (
            "%resource.repeat(item).where(linkId='n').answer.first().valueInteger + 1 * 2 >= 7",
            "(n + (1 * 2)) >= 7"
        ),
        ("%resource.descendants().where(linkId='d').answer.valueDate <= today()", "d <= today()"),
        ("\(path("d")) > @2026-01-31", "d > @2026-01-31"), ("\(path("w")).value > 70", "w > 70"),
        ("%resource.item.where(linkId='g').item.where(linkId='inner').answer.exists()", "exists(inner)"),
        (
            "%resource.item.where(linkId='1.1').answer.item.where(linkId='below').answer.value = 1",
            "below = 1"
        ),
        ("%resource.repeat(item).where(linkId='inner').answer.value = 1", "inner = 1"),
        ("%resource.descendants().where(linkId='below').answer.value = 1", "below = 1"),
        ("QuestionnaireResponse.item.where(linkId='m').answer.count() > 2", "count(m) > 2"),
        (
            "iif(\(path("n")).exists() and true, \(path("n")), 0) = 2",
            "if((exists(n) and true), n, 0) = 2"
        ),
    ])
    func `expressions with an equivalent are translated`(source: String, expected: String) throws {
        #expect(try Self.translated(source) == expected)
        _ = try Expression(expected)
    }

    @Test func `a path may begin at the item that has the rule`() throws {
        #expect(try Self.translated("answer.value > 3", currentItem: "n") == "n > 3")
        #expect(try Self.translated("$this.answer.value > 3", currentItem: "n") == "n > 3")
        #expect(throws: TranslationError.self) { try Self.translated("answer.value > 3") }
    }

    @Test(arguments: [
        "", "%age > 3", "%resource.item.where(linkId='z').answer.value = 1", "\(path("c")) = 'A-1'",
        "\(path("c")).code = 'none'", "\(path("m")).code = 'A-1'", "\(path("m"))", "\(path("n")) > ",
        "(\(path("n")) > 1",
        "\(path("n")) > 1)", "%resource.item.where(text='n').answer.value = 1",
        "\(path("t")).startsWith('a')",
        "\(path("c")).code = \(path("c")).code", "%resource.item.where(linkId='n').exists()",
        "\(path("n")) ~ 3", "iif(\(path("1.1")), \(path("n")), 0) = 2", "\(path("n")) in \(path("m"))",
        // A path without a result has no meaning in Saunter, too.
        "\(path("inner")) = 1", "%resource.item.where(linkId='g').answer.exists()",
        "%resource.repeat(item).where(linkId='below').answer.value = 1",
        "%resource.item.where(linkId='1.1').item.where(linkId='below').answer.value = 1",
        "%resource.item.where(linkId='g').item.where(linkId='n').answer.value = 1",
        "\(path("n")) implies true", "%resource.item.answer.value = 3", "\(path("t")) + 'x' = 'ax'",
        "\(path("t")) = 'a\\'b'",
        "\(path("m")).first().code = 'A-1'",
        "%resource.item.where(linkId='c').answer.where(value.code='A-1')",
        "@2026-01-01T10:00 < today()", "\(path("d")) > @2026-01-3²", "\(path("n")) > 1.²",
        String(repeating: "(", count: 100) + "true" + String(repeating: ")", count: 100),
        String(repeating: "true and ", count: 1000) + "true",
    ])
    func `expressions without an equivalent are rejected`(source: String) {
        #expect(throws: TranslationError.self) { try Self.translated(source) }
    }

    @Test func `an expression can have 1000 tokens, and white space after them`() throws {
        let longest = String(repeating: "1 ", count: 1000)

        #expect(try FHIRPathToken.tokens(of: longest).count == 1000)
        #expect(throws: TranslationError.self) { try FHIRPathToken.tokens(of: longest + "1") }
    }

    private static let questionnaire = #"""
        {"resourceType": "Questionnaire", "name": "paths", "status": "active", "extension": [
          {"url": "http://hl7.org/fhir/StructureDefinition/targetConstraint", "extension": [
            {"url": "key", "valueId": "Sum-1"}, {"url": "severity", "valueCode": "warning"},
            {"url": "expression", "valueExpression": {"language": "text/fhirpath",
              "expression": "%resource.item.where(linkId='/a').answer.value + %resource.item.where(linkId='b').answer.value <= 10"}},
            {"url": "human", "valueString": "Ten at most."}]}],
         "item": [
          {"linkId": "/a", "type": "integer", "text": "A?"},
          {"linkId": "b", "type": "integer", "text": "B?", "extension": [
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
             "valueExpression": {"language": "text/fhirpath", "expression": "%resource.item.where(linkId='/a').answer.value > 2"}},
            {"url": "http://hl7.org/fhir/StructureDefinition/targetConstraint", "extension": [
              {"url": "key", "valueId": "b"}, {"url": "severity", "valueCode": "error"},
              {"url": "expression", "valueExpression": {"language": "text/fhirpath", "expression": "answer.value != 7"}},
              {"url": "human", "valueString": "Not seven."}]}]},
          {"linkId": "c", "type": "integer", "text": "C?", "extension": [
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
             "valueExpression": {"language": "text/fhirpath", "expression": "%patient.age() > 2"}}]},
          {"linkId": "d", "type": "integer", "text": "D?", "extension": [
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
             "valueExpression": {"language": "text/fhirpath", "expression": "%resource.item.where(linkId='e').answer.value > 2"}}]},
          {"linkId": "e", "type": "integer", "text": "E?"}]}
        """#

    @Test func `rules in FHIRPath are applied, preserved and exported unchanged`() throws {
        let bytes = Array(Self.questionnaire.utf8)
        let instrument = try #require(try FHIRImport.read(bytes, name: "file").first).get()
        let questionnaire = instrument.questionnaire

        #expect(questionnaire.item.map(\.enableWhenExpression) == [nil, "a > 2", nil, nil, nil])
        #expect(
            questionnaire.constraint == [
                Constraint(key: "sum_1", severity: .warning, expression: "(a + b) <= 10", item: nil),
                Constraint(key: "b", severity: .error, expression: "b != 7", item: "b"),
            ])
        #expect(questionnaire.text["en"]?.constraints == ["sum_1": "Ten at most.", "b": "Not seven."])
        let remarks = instrument.remarks.map(\.text)
        #expect(
            remarks.contains {
                $0.hasPrefix("/item/2/extension: a rule in FHIRPath is not applied: it uses %patient")
            })
        #expect(
            remarks.contains { $0.hasPrefix("/item/3: enableWhenExpression has no effect here") },
            "\(remarks)")
        #expect(!remarks.contains { $0.hasPrefix("/item/1") || $0.hasPrefix("/extension") }, "\(remarks)")
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: questionnaire.code, version: questionnaire.version)
        #expect(
            FHIRPatch.equal(
                .object(FHIRQuestionnaire.json(questionnaire, preserved: kept)), try JSONReader.read(bytes)))
        func faults(_ answers: JSONObject) -> [String] {
            do throws(Faults) {
                _ = try AnswerSheet(answers: answers, of: questionnaire)
                return []
            } catch {
                return error.list.map(\.code)
            }
        }
        #expect(faults(["a": 3, "b": 7]) == ["constraint_b"])
        #expect(try AnswerSheet(answers: ["a": 3, "b": 9], of: questionnaire).warnings == ["sum_1"])
        #expect(try AnswerSheet(answers: ["a": 1, "b": 7], of: questionnaire).cleared == ["b"])
    }

    @Test func `scales that FHIRPath can express exactly become variables, the others get a remark`() throws {
        func choice(_ linkId: String, _ options: [ResponseOption]) -> Item {
            var item = Item(linkId: linkId, type: .choice)
            item.answerOption = options
            return item
        }
        let numbers = [0, 1, 2, 3].map { ResponseOption(value: .integer($0)) }
        let codes = [("no", 0.0), ("yes", 2.5)].map { ResponseOption(value: .code($0.0), weight: $0.1) }
        let mixed = [ResponseOption(value: .integer(1), weight: 4), ResponseOption(value: .integer(2))]
        var questionnaire = Questionnaire(
            code: "q", version: "1.0.0",
            item: [choice("a", numbers), choice("b", codes), choice("c", mixed), Self.item("s", .boolean)],
            text: ["en": QuestionnaireText(title: "Q", items: [:], options: [:])], languages: ["en"])
        var weighted = Scale(id: "weighted", items: ["a", "s"], method: .sum)
        weighted.weights = ["a": 2]
        var rounded = Scale(id: "rounded", items: ["a"], method: .sum)
        rounded.rounding = Rounding(places: 0, mode: .halfUp)
        questionnaire.scoring = ScoringKey(
            version: "1.0.0",
            scales: [
                Scale(id: "plain", items: ["a", "b"], reverse: ["a", "b"], method: .sum),
                Scale(id: "mean", items: ["a", "s"], method: .mean, factor: 4, offset: -1), weighted,
                Scale(id: "both", items: ["plain", "mean"], method: .difference), rounded,
                Scale(id: "both_of", items: ["both"], method: .value),
                // It has the name of the item that it counts.
                Scale(id: "s", items: ["s"], method: .value),
                Scale(id: "bothof", items: ["s"], method: .value),
                Scale(id: "both_Of", items: ["itself"], method: .value),
                Scale(id: "itself", items: ["itself"], method: .sum),
                Scale(id: "odd", items: ["c"], method: .sum),
                Scale(id: "most", items: ["a"], method: .maximum),
                Scale(id: "few", items: ["a", "b"], method: .sum, missing: .prorate(minimumAnswered: 1)),
                Scale(id: "above", items: ["odd"], method: .sum),
            ])
        let json = FHIRQuestionnaire.json(questionnaire, mapping: FHIRSourceMapping())
        let variables = (json["extension"]?.array ?? []).compactMap { $0["valueExpression"]?.object }
        func value(_ linkId: String) -> String {
            "%resource.descendants().where(linkId='\(linkId)').answer.value"
        }
        #expect(
            variables.map { [$0["name"]?.string, $0["expression"]?.string] } == [
                ["plain", "(3 - \(value("a"))) + (2.5 - \(value("b")).ordinal())"],
                ["mean", "((\(value("a")) + \(value("s")).toInteger()) / 2) * 4 + -1"],
                ["weighted", "(\(value("a")) * 2) + \(value("s")).toInteger()"], ["both", "%plain - %mean"],
                ["bothOf", "%both"], ["s", "\(value("s")).toInteger()"],
                ["bothof", "\(value("s")).toInteger()"],
            ])
        let remarks = ExportRemarks.fhir(questionnaire).map(\.text)
        for scale in ["rounded", "odd", "most", "few", "above", "itself", "both_Of"] {
            #expect(remarks.contains { $0.contains("\(scale) is left out") }, "\(scale)")
        }
        #expect(
            !remarks.contains {
                $0.contains("plain is left out") || $0.contains("scoring.yaml: is left out")
                    || $0.contains("minimum and maximum")
            }
        )
    }
}
