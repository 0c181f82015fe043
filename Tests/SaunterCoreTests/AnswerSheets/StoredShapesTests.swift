import Testing

@testable import SaunterCore

@Suite struct StoredShapesTests {
    private typealias Samples = QuestionnaireSamples

    private static let scalars: [JSON] = [
        nil, true, 1, 1.5, "a", "b", "x", "none", "m", "kg", "08:00", "2026-02-28", ["other": "w"],
        ["value": 1, "unit": "kg"], ["value": 2], ["a"], ["a", "b"], ["b", "a", "c"],
        [["a", "b"], ["c", "b"]], [["a", "b"], ["b", "c"]],
        [["shown": ["b", "a"], "choice": "a"], ["a", "c"], ["c", "b"]], [:],
        [["shown": ["b", "a"], "choice": nil, "time_ms": 7], ["a", "c"]],
        ["shown": ["b", "a"], "choice": nil],
        ["name": "n"], ["name": "n", "dose": 2, "at": ["y"], "own": ["other": "w"]],
        ["name": "n", "owns": ["a", ["other": "w"]], "size": 2, "more": "08:00"],
    ]

    private static func value(_ random: inout QuestionnaireRandom) -> JSON {
        guard Bool.random(using: &random) else { return scalars.randomElement(using: &random) ?? .null }
        let count = Int.random(in: 0...3, using: &random)
        return .array((0..<count).map { _ in scalars.randomElement(using: &random) ?? .null })
    }

    @Test func `random sheets are rejected with faults, or parsed and stored without loss`() throws {
        var random = QuestionnaireRandom(state: 3)
        let index = ShapeSamples.index
        let codec = AnswerCodec(index)
        var withRows = 0
        for _ in 0..<20_000 {
            var answers = JSONObject()
            var reasons = JSONObject()
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let name = index.questions.randomElement(using: &random) ?? ""
                answers[name] = Self.value(&random)
                if Int.random(in: 0..<6, using: &random) == 0 {
                    reasons[name] = Bool.random(using: &random) ? "refused" : [["dose": "refused"]]
                }
            }
            do {
                let sheet = try AnswerSheet(answers: answers, reasons: reasons, of: index)
                #expect(
                    try AnswerSheet(answers: sheet.json, reasons: sheet.reasons, of: index).states
                        == sheet.states)
                var stored = codec.encode(sheet)
                stored.setRepeated(try stored.repeatedJSON.map { try JSONReader.read($0.text) })
                #expect(try codec.decode(stored).states == sheet.states)
                if !stored.repeated.isEmpty { withRows += 1 }
            } catch let faults as Faults {
                #expect(!faults.list.isEmpty)
            }
        }
        #expect(withRows > 100)
    }

    @Test func `stored rows that do not fit are rejected, and the fault names the item`() throws {
        let codec = AnswerCodec(ShapeSamples.index)
        let good = codec.encode(
            try ShapeSamples.sheet([
                "open": ["other": "x"], "rank": [["a", "b"], ["b", "c"]], "lines": ["x", "y"],
                "mass": ["value": 1, "unit": "g"],
                "group": [["name": "n", "dose": 2, "at": ["x"]], ["name": "m"]],
            ]))
        func fault(_ change: (inout StoredAnswers) -> Void) -> StoredAnswersFault? {
            var stored = good
            change(&stored)
            do {
                _ = try codec.decode(stored)
                return nil
            } catch {
                return error
            }
        }
        func slot(_ linkId: String) throws -> Int { try #require(codec.slotIndex(of: linkId)) }
        let (open, rank, mass, group) = (
            try slot("open"), try slot("rank"), try slot("mass"), try slot("group")
        )

        #expect(fault { _ in } == nil)
        #expect(fault { $0.texts["open"] = nil } == .text(linkId: "open"))
        #expect(fault { $0.slots[open] = 3 } == .slot(linkId: "open"))
        #expect(fault { $0.slots[mass] = 2 } == .slot(linkId: "mass"))
        #expect(fault { $0.numbers[0] = nil } == .number(linkId: "mass"))
        #expect(fault { $0.slots[rank] = 4 } == .slot(linkId: "rank"))
        #expect(fault { $0.slots[rank] = 2 } == .repeated(linkId: "rank"))
        #expect(fault { $0.slots[group] = 3 } == .repeated(linkId: "name"))
        #expect(fault { $0.slots[group] = 101 } == .slot(linkId: "group"))
        #expect(fault { $0.repeated.removeLast() } != nil)
        #expect(fault { $0.repeated = [] } == .repeated(linkId: "lines"))
        #expect(fault { $0.texts["lines.2"] = nil } == .repeated(linkId: "lines"))
        #expect(fault { $0.repeated[0].value = "a>z" } == .repeated(linkId: "rank"))
    }

    @Test func `a partial load has empty texts and lists`() throws {
        let codec = AnswerCodec(ShapeSamples.index)
        var stored = codec.encode(
            try ShapeSamples.sheet([
                "open": ["other": "x"], "lines": ["x", "y"], "mass": ["value": 1, "unit": "g"],
            ]))
        (stored.texts, stored.repeated) = ([:], [])

        let sheet = try codec.decode(stored, isPartial: true)

        #expect(sheet.answer(to: "mass") == .quantity(Measure(value: 1, unit: "g")))
        #expect(sheet.answer(to: "open") == .freeText(""))
        #expect(sheet.answer(to: "lines") == .list([]))
    }

    @Test func `invalid definitions are rejected with pointers`() {
        func faults(_ item: Item, in group: Bool = false) -> [String] {
            let items =
                group
                ? [
                    Samples.item("g", .group) {
                        $0.repeats = true
                        $0.item = [item, Samples.item("other_one", .boolean)]
                    }
                ] : [item, Samples.item("other_one", .boolean)]
            return Samples.questionnaire(items).faults().map { "\($0.pointer) \($0.code)" }
        }
        let options = ShapeSamples.codes(["a", "b"])

        #expect(ShapeSamples.items.allSatisfy { faults($0).isEmpty })
        #expect(faults(Samples.item("q", .quantity)) == ["/item/0/unitOption no_units"])
        #expect(
            faults(Samples.item("q", .quantity) { $0.unitOption = ["kg", "kg", "k g"] })
                == ["/item/0/unitOption/1 duplicate_unit", "/item/0/unitOption/2 bad_unit"])
        #expect(faults(Samples.item("q", .integer) { $0.unit = "mmHg" }) == ["/item/0/unit bad_unit"])
        #expect(faults(Samples.item("q", .integer) { $0.unit = "mm[Hg]" }) == [])
        #expect(
            faults(Samples.item("q", .ranking) { $0.answerOption = ShapeSamples.codes(["a"]) })
                == ["/item/0/answerOption out_of_range"])
        #expect(
            faults(
                Samples.item("q", .ranking) {
                    ($0.answerOption, $0.repeats) = (options, true)
                }) == ["/item/0/repeats not_for_type"])
        #expect(
            faults(
                Samples.item("q", .openChoice) {
                    ($0.answerOption, $0.repeats) = (ShapeSamples.codes(["other"]), true)
                }) == ["/item/0/answerOption/0/value reserved_name"])
        #expect(faults(Samples.item("q", .string) { $0.regex = "(" }) == ["/item/0/regex bad_pattern"])
        #expect(faults(Samples.item("q", .integer) { $0.regex = "a" }) == ["/item/0/regex not_for_type"])
        #expect(
            faults(Samples.item("q", .date) { ($0.repeats, $0.minOccurs, $0.maxOccurs) = (true, 3, 2) })
                == ["/item/0/minOccurs empty_range"])
        let one = ShapeSamples.codes(["a"]) + [ResponseOption(value: .code("none"), exclusive: true)]
        for (type, wanted) in [(ItemType.choice, ["/item/0/minOccurs out_of_range"]), (.openChoice, [])] {
            let item = Samples.item("q", type) {
                ($0.repeats, $0.minOccurs, $0.answerOption) = (true, 2, one)
            }
            #expect(faults(item) == wanted)
        }
        #expect(faults(Samples.item("q", .date) { $0.maxOccurs = 2 }) == ["/item/0/maxOccurs not_for_type"])
        #expect(
            faults(Samples.item("q", .date) { ($0.repeats, $0.maxOccurs) = (true, 101) })
                == ["/item/0/maxOccurs out_of_range"])
        #expect(faults(Samples.item("q", .time) { $0.maxValue = 86_400 }) == ["/item/0/maxValue wrong_type"])
        #expect(faults(Samples.item("q", .boolean) { $0.shuffle = true }) == ["/item/0/shuffle not_for_type"])
        #expect(
            faults(Samples.item("q", .date) { $0.repeats = true }, in: true)
                == ["/item/0/item/0/repeats nested_repeats"])
        for source in [
            "http://example.org/a.png", "media/../a", "/media/a", "media//a", "https://", "media/a b",
        ] {
            let item = Samples.item("q", .boolean) { $0.media = Media(kind: .image, source: source) }
            var questionnaire = Samples.questionnaire([item])
            questionnaire.text["en"]?.media = ["q": "A picture"]
            #expect(questionnaire.faults().map(\.pointer) == ["/item/0/media/source"], "\(source)")
        }
    }
}
