import Testing

@testable import SaunterCore

@Suite struct ComparedWordsTests {
    private typealias Samples = QuestionnaireSamples

    private static let items: [Item] = [
        Samples.item("words", .string) {
            ($0.repeats, $0.itemControl, $0.minOccurs, $0.maxOccurs) = (true, .pairwise, 2, 4)
        },
        Samples.item("lines", .string) { $0.repeats = true },
        Samples.item("one", .string) { ($0.repeats, $0.itemControl) = (true, .pairwise) },
    ]

    private static let index = QuestionnaireIndex(Samples.questionnaire(items))

    private static let compared: JSON = [
        "values": ["tea", "sleep", "sun"],
        "comparisons": [
            ["shown": ["tea", "sleep"], "choice": "sleep", "time_ms": 1800], ["tea", "sun"],
        ],
    ]

    private func sheet(_ words: JSON) throws(Faults) -> AnswerSheet {
        try AnswerSheet(answers: ["words": words], of: Self.index)
    }

    private func faults(_ words: JSON, of linkId: String = "words") -> [Fault] {
        do throws(Faults) {
            _ = try AnswerSheet(answers: .init([.init(name: linkId, value: words)]), of: Self.index)
            return []
        } catch {
            return error.list
        }
    }

    @Test func `comparisons rank own words by the rules of rankings`() throws {
        let sheet = try sheet(Self.compared)

        guard case .comparedWords(let answer)? = sheet.answer(to: "words") else {
            Issue.record("the comparisons are lost")
            return
        }
        #expect(answer.words == ["tea", "sleep", "sun"] && answer.ranking.ranks == [2, 1, 3])
        #expect(sheet.json["words"] == Self.compared)
        #expect(sheet.cyclicRankings == [])
    }

    @Test func `the best word first is still permitted`() throws {
        let sheet = try sheet(["tea", "sleep", "tea"])

        #expect(sheet.answer(to: "words") == .list([.text("tea"), .text("sleep"), .text("tea")]))
        #expect(sheet.json["words"] == ["tea", "sleep", "tea"])
    }

    @Test func `a circle shares a rank and is reported, and so is no preference`() throws {
        let circle = try sheet([
            "values": ["a", "b", "c"], "comparisons": [["a", "b"], ["b", "c"], ["c", "a"]],
        ])
        let even = try sheet([
            "values": ["a", "b", "c"],
            "comparisons": [["shown": ["a", "b"], "choice": nil], ["a", "c"]],
        ])

        #expect(circle.cyclicRankings == ["words"] && even.cyclicRankings == [])
        #expect(circle.answer(to: "words").map { Self.ranks($0) } == [1, 1, 1])
        #expect(even.answer(to: "words").map { Self.ranks($0) } == [1, 1, 3])
    }

    private static func ranks(_ answer: Answer) -> [Int] {
        if case .comparedWords(let compared) = answer { compared.ranking.ranks } else { [] }
    }

    @Test(
        arguments: [
            (["values": ["a", "b"], "comparisons": []], ["/comparisons incomplete_ranking"]),
            (
                ["values": ["a", "b", "c"], "comparisons": [["a", "b"]]], ["/comparisons incomplete_ranking"]
            ),
            (["values": ["a", "b", "a"], "comparisons": []], ["/values/2 duplicate_value"]),
            (["values": ["a"], "comparisons": []], ["/values too_few_answers"]),
            (
                ["values": ["a", "b", "c", "d", "e"], "comparisons": []], ["/values too_many_answers"]
            ),
            (["values": ["a", 1], "comparisons": []], ["/values/1 wrong_type"]),
            (["values": ["a", " "], "comparisons": []], ["/values/1 blank_value"]),
            (["values": ["a", "b"]], [" wrong_type"]), (["comparisons": []], [" wrong_type"]),
            (["values": ["a", "b"], "comparisons": "a"], [" wrong_type"]),
            (["values": ["a", "b"], "comparisons": [], "x": 1], [" wrong_type"]),
            (
                ["values": ["a", "b"], "comparisons": [["a", "z"]]], ["/comparisons/0/1 not_an_option"]
            ),
            // The number of a value is no name of it.
            (["values": ["a", "b"], "comparisons": [["a", 2]]], ["/comparisons/0/1 not_an_option"]),
            (
                ["values": ["a", "b"], "comparisons": [["a", "b"], ["b", "a"]]],
                ["/comparisons too_many_comparisons"]
            ),
            (
                ["values": ["a", "b", "c"], "comparisons": [["a", "b"], ["b", "a"]]],
                ["/comparisons/1 duplicate_comparison"]
            ),
            (["values": ["a", "b"], "comparisons": [["a", "a"]]], ["/comparisons/0 duplicate_comparison"]),
            (
                ["values": ["a", "b", "c"], "comparisons": [["shown": ["a", "b"], "choice": "c"]]],
                ["/comparisons/0/choice not_offered"]
            ),
            (
                [
                    "values": ["a", "b"],
                    "comparisons": [["shown": ["a", "b"], "choice": "a", "time_ms": -1]],
                ],
                ["/comparisons/0/time_ms out_of_range"]
            ),
            (
                ["values": ["a", "b"], "comparisons": [["shown": ["a"], "choice": "a"]]],
                ["/comparisons/0 wrong_type"]
            ),
        ] as [(JSON, [String])])
    func `an invalid answer is rejected with its pointer`(words: JSON, expected: [String]) {
        #expect(
            faults(words).map { "\($0.pointer) \($0.code)" } == expected.map { "/answers/words\($0)" })
    }

    @Test func `faults name the words by their numbers, never by their text`() {
        let secrets = ["mother", "father", "sister"]
        let values = JSON.array(secrets.map(JSON.string))
        let all: [Fault] =
            faults(["values": values, "comparisons": [["mother", "father"]]])
            + faults(["values": values, "comparisons": [["mother", "father"], ["father", "mother"]]])
            + faults(["values": values, "comparisons": [["mother", "aunt"]]])
            + faults(["values": ["mother", "mother"], "comparisons": []])

        #expect(all.count == 4)
        #expect(all[0].detail.hasSuffix("decides between value 1 and value 3."))
        #expect(all[1].detail.hasSuffix("compares value 2 and value 1, with another outcome."))
        for fault in all {
            for word in secrets + ["aunt"] { #expect(!fault.detail.contains(word)) }
        }
    }

    @Test func `only compared lists of texts accept comparisons`() {
        #expect(
            faults(["values": ["a", "b"], "comparisons": [["a", "b"]]], of: "lines").map(\.code) == [
                "wrong_type"
            ])
        #expect(Self.items[0].isComparedList && !Self.items[1].isComparedList)
        #expect(!Samples.item("q", .string) { $0.itemControl = .pairwise }.isComparedList)
        #expect(
            !Samples.item("q", .date) { ($0.repeats, $0.itemControl) = (true, .pairwise) }.isComparedList)
    }

    @Test func `one word needs no comparison`() throws {
        let sheet = try AnswerSheet(
            answers: ["one": ["values": ["a"], "comparisons": []]], of: Self.index)
        let blank = try AnswerSheet(answers: ["one": ["values": [], "comparisons": []]], of: Self.index)

        #expect(sheet.answer(to: "one") == .list([.text("a")]))
        #expect(blank.state(of: "one") == .missing(.skipped))
    }

    @Test func `words are stored as texts, ranks and comparisons as rows with their numbers`() throws {
        let codec = AnswerCodec(Self.index)
        let sheet = try sheet(Self.compared)

        var stored = codec.encode(sheet)
        stored.setRepeated(try stored.repeatedJSON.map { try JSONReader.read($0.text) })

        #expect(stored.slots == [3, -996, -996])
        #expect(stored.texts == ["words.1": "tea", "words.2": "sleep", "words.3": "sun"])
        #expect(
            stored.repeated.map { "\($0.instance) \($0.option) \($0.type) \($0.value ?? "-")" } == [
                "1  string -", "1 rank ranking 2", "2  string -", "2 rank ranking 1", "3  string -",
                "3 rank ranking 3", "1 comparison ranking 2>1", "1 shown_first ranking 1",
                "1 time_ms ranking 1800", "2 comparison ranking 1>3",
            ])
        #expect(try codec.decode(stored).states == sheet.states)
        #expect(try codec.decode(stored, isPartial: true).answer(to: "words") == .list([]))
    }

    @Test func `an order of words has ranks, too`() throws {
        let codec = AnswerCodec(Self.index)
        let sheet = try sheet(["tea", "sleep"])

        let stored = codec.encode(sheet)

        #expect(stored.repeated.filter { $0.option == "rank" }.map(\.value) == ["1", "2"])
        #expect(try codec.decode(stored).states == sheet.states)
        var withoutRanks = stored
        withoutRanks.repeated.removeAll { $0.option == "rank" }
        #expect(try codec.decode(withoutRanks).states == sheet.states)
    }

    @Test func `stored comparisons that contradict the ranks are damaged`() throws {
        let codec = AnswerCodec(Self.index)
        let good = codec.encode(try sheet(Self.compared))
        for (index, value) in [(1, "3"), (6, "1>2"), (6, "1>9"), (6, "x")] {
            var stored = good
            stored.repeated[index].value = value
            #expect(throws: StoredAnswersFault.repeated(linkId: "words"), "\(index) \(value)") {
                try codec.decode(stored)
            }
        }
    }

    @Test func `conditions and expressions see the words`() throws {
        let compared = try #require(try sheet(Self.compared).answer(to: "words"))

        #expect(Samples.when("words", .equal, .text("sun")).holds(for: compared))
        #expect(!Samples.when("words", .equal, .text("rain")).holds(for: compared))
        #expect(compared.expressionValue == .several([.text("tea"), .text("sleep"), .text("sun")]))
    }
}
