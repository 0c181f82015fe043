import Testing

@testable import SaunterCore

@Suite struct AnswerReaderTests {
    private typealias Samples = QuestionnaireSamples

    /// The codes of the faults of one value for an item of `everyType`; nil if the value is valid.
    private func read(_ linkId: String, _ json: String) throws -> (answer: Answer?, faults: [Fault]) {
        let item = try #require(QuestionnaireIndex(Samples.everyType).item(linkId))
        do {
            return (try item.answer(from: try JSONReader.read(json), pointer: "/at"), [])
        } catch let faults as Faults {
            return (nil, faults.list)
        }
    }

    @Test(arguments: [
        ("truth", "true", Answer.boolean(true)), ("truth", "false", .boolean(false)),
        ("whole", "5", .integer(5)), ("whole", "-5", .integer(-5)), ("whole", "1.0", .integer(1)),
        ("whole", "2e0", .integer(2)),
        ("real", "0", .decimal(0)), ("real", "-0.0", .decimal(0)), ("real", "100", .decimal(100)),
        ("real", "12.25", .decimal(12.25)),
        ("real", "1.2500", .decimal(1.25)), ("real", "125e-2", .decimal(1.25)),
        ("line", #""ab""#, .text("ab")), ("line", #""äöüßé""#, .text("äöüßé")),
        ("note", #""a\nb""#, .text("a\nb")),
        ("rate", "0", .option(.integer(0))), ("rate", "4", .option(.integer(4))),
        ("rate", "4.0", .option(.integer(4))),
        ("place", #""town""#, .option(.code("town"))),
        ("seen", #"["deer"]"#, .options([.code("deer")])),
        ("seen", #"["deer","bird"]"#, .options([.code("bird"), .code("deer")])),
        ("seen", #"["none"]"#, .options([.code("none")])),
    ])
    func `a value of the item's type within its bounds is accepted`(
        linkId: String, json: String, answer: Answer
    )
        throws
    {
        let result = try read(linkId, json)

        #expect(result.faults.isEmpty)
        #expect(result.answer == answer)
    }

    @Test func `dates and times follow the calendar and survive a round trip`() throws {
        #expect(
            try read("day", #""2024-02-29""#).answer
                == .date(try #require(LocalDate(year: 2024, month: 2, day: 29))))
        #expect(try read("clock", #""23:59:59""#).answer == .time(try #require(LocalTime(seconds: 86_399))))
        #expect(try read("clock", #""07:05""#).answer?.json == "07:05")
        let moment = try read("moment", #""2026-11-21T09:30:00.25+01:30""#).answer
        #expect(moment?.json == "2026-11-21T08:00:00.250Z")
    }

    @Test(arguments: [
        ("truth", "null"), ("rate", "null"), ("seen", "[]"), ("seen", "null"), ("line", #""""#),
        ("note", #"" \n\t ""#),
    ])
    func `null, an empty array and white space are a blank`(linkId: String, json: String) throws {
        let result = try read(linkId, json)

        #expect(result.faults.isEmpty)
        #expect(result.answer == nil)
    }

    @Test(arguments: [
        ("truth", "1", "wrong_type"), ("truth", #""true""#, "wrong_type"), ("truth", "[true]", "wrong_type"),
        ("whole", #""3""#, "wrong_type"), ("whole", "true", "wrong_type"), ("whole", "3.5", "not_whole"),
        ("whole", "1e-1", "not_whole"), ("whole", "4503599627370496.3", "not_whole"),
        ("whole", "6", "above_maximum"), ("whole", "-6", "below_minimum"),
        ("whole", "9007199254740992", "number_too_large"), ("whole", "9007199254740993", "number_too_large"),
        ("whole", "1e400", "number_too_large"), ("whole", "99999999999999999999", "number_too_large"),
        ("real", "100.01", "above_maximum"), ("real", "-0.01", "below_minimum"),
        ("real", "1.234", "too_many_decimals"),
        ("real", "1e400", "number_too_large"), ("real", "1e-400", "too_many_decimals"),
        ("real", "{}", "wrong_type"),
        ("line", "5", "wrong_type"), ("line", #""a""#, "too_short"), ("line", #""abcdef""#, "too_long"),
        ("line", #""🇩🇪🇩🇪🇩🇪""#, "too_long"),
        ("day", #""2026-02-29""#, "invalid_date"), ("day", #""2026-2-9""#, "invalid_date"),
        ("day", "20260209", "wrong_type"),
        ("day", #""2026-02-09T00:00:00Z""#, "invalid_date"), ("day", #""0000-01-01""#, "invalid_date"),
        ("clock", #""24:00""#, "invalid_time"), ("clock", #""23:59:60""#, "invalid_time"),
        ("clock", #""7:05""#, "invalid_time"),
        ("moment", #""2026-02-30T08:00:00Z""#, "invalid_date_time"),
        ("moment", #""2026-02-20T08:00:00""#, "invalid_date_time"),
        ("moment", #""2026-02-20T23:59:60Z""#, "invalid_date_time"),
        ("rate", "5", "not_an_option"), ("rate", "-1", "not_an_option"), ("rate", "1.5", "not_an_option"),
        ("rate", #""1""#, "not_an_option"), ("rate", "true", "wrong_type"), ("rate", "[1]", "wrong_type"),
        ("place", #""sea""#, "not_an_option"), ("place", #""Town""#, "not_an_option"),
        ("place", "0", "not_an_option"),
        ("seen", #""deer""#, "wrong_type"), ("seen", #"{"deer":true}"#, "wrong_type"),
    ])
    func `any other value is rejected with a code and a pointer`(linkId: String, json: String, code: String)
        throws
    {
        let result = try read(linkId, json)

        #expect(result.answer == nil)
        #expect(result.faults.map(\.code) == [code])
        #expect(result.faults.map(\.pointer) == ["/at"])
    }

    @Test func `each element of an array has its own fault`() throws {
        let result = try read("seen", #"["deer","sea","deer"]"#)

        #expect(result.faults.map(\.pointer) == ["/at/1", "/at/2"])
        #expect(result.faults.map(\.code) == ["not_an_option", "duplicate_option"])
    }

    @Test func `an exclusive option excludes all others`() throws {
        let result = try read("seen", #"["bird","none"]"#)

        #expect(result.faults.map(\.pointer) == ["/at/1"])
        #expect(result.faults.map(\.code) == ["exclusive_option"])
    }

    @Test func `an array of a million elements has few faults`() throws {
        let item = try #require(QuestionnaireIndex(Samples.everyType).item("seen"))
        let value = JSON.array(Array(repeating: .null, count: 1_000_000))

        let faults = #expect(throws: Faults.self) { try item.answer(from: value) }

        #expect(faults?.list.count == 4)
        #expect(faults?.list.first?.code == "too_many_options")
    }

    @Test(arguments: [
        (ItemType.string, 1000, true), (.string, 1001, false), (.text, 20_000, true), (.text, 20_001, false),
    ])
    func `texts without a limit use the default limit, in scalars`(
        type: ItemType, length: Int, isAccepted: Bool
    ) {
        let item = Samples.item("t", type)
        let value = JSON.string(String(repeating: "ß", count: length))

        #expect(((try? item.answer(from: value)) != nil) == isAccepted)
    }

    @Test func `U+0000 is rejected, even if the JSON reader accepted it`() {
        let faults = #expect(throws: Faults.self) { try Samples.item("t", .text).answer(from: "a\u{0}b") }

        #expect(faults?.list.map(\.code) == ["nul_character"])
    }

    @Test(arguments: [
        ("123456789012345", true), ("1234567890123456", false), ("0.12345678901234", true),
        ("1.234567890123456", false),
        ("1.00000000000000000000", true), ("9007199254740991", false), ("100000000000000e-14", true),
    ])
    func `a decimal has at most 15 significant digits`(literal: String, isAccepted: Bool) throws {
        let answer = try? Samples.item("d", .decimal).answer(from: JSONReader.read(literal))

        #expect((answer != nil) == isAccepted)
    }

    @Test func `a code is compared by bytes, not by Unicode equivalence`() {
        let item = Samples.choice("c", ["\u{e9}"])

        #expect(throws: Faults.self) { try item.answer(from: "e\u{301}") }
        #expect((try? item.answer(from: "\u{e9}")) == .option(.code("\u{e9}")))
    }

    @Test func `the value of a condition is a single value, even if the item repeats`() throws {
        let item = Samples.choice("c", ["a", "b"], repeats: true)

        #expect(try item.answer(from: "a", single: true) == .option(.code("a")))
        #expect(throws: Faults.self) { try item.answer(from: ["a"], single: true) }
    }

    @Test func `groups and displays accept no answer`() {
        for type in [ItemType.group, .display] {
            let faults = #expect(throws: Faults.self) { try Samples.item("g", type).answer(from: 1) }
            #expect(faults?.list.map(\.code) == ["not_a_question"])
        }
    }
}
