import Testing

@testable import SaunterCore

@Suite struct ForbiddenKindsTests {
    private typealias Samples = QuestionnaireSamples

    private static let items: [Item] = [
        Samples.item("spot", .location) { ($0.dataKind, $0.required) = ("location", true) },
        Samples.item("pulse", .integer) { ($0.dataKind, $0.maxValue) = ("heart", 200) },
        Samples.item("why", .string) {
            $0.enableWhen = [Samples.when("spot", .exists, .boolean(true))]
        },
        Samples.item("far", .location) {
            $0.dataKind = "location"
            $0.enableWhen = [Samples.when("pulse", .greater, .integer(100))]
        },
        Samples.item("visits", .group) {
            $0.repeats = true
            $0.item = [
                Samples.item("name", .string), Samples.item("at", .location) { $0.dataKind = "location" },
            ]
        },
        Samples.item("fixed", .string) {
            ($0.dataKind, $0.readOnly, $0.initial) = ("heart", true, .text("x"))
        },
    ]

    private static let index = QuestionnaireIndex(Samples.questionnaire(items))

    private static let spot: JSON = ["lat": 52.5, "lon": 13.4]

    private func sheet(
        _ answers: JSONObject, _ reasons: JSONObject = [:], forbidden: Set<String>
    ) throws(Faults) -> AnswerSheet {
        try AnswerSheet(answers: answers, reasons: reasons, of: Self.index, forbiddenKinds: forbidden)
    }

    @Test func `without permission an answer is cleared, and the rest is stored`() throws {
        let sheet = try sheet(["spot": Self.spot, "pulse": 60], forbidden: ["location"])

        #expect(sheet.state(of: "spot") == .missing(.noConsent))
        #expect(sheet.cleared == ["spot"] && sheet.reasons["spot"] == "no_consent")
        #expect(sheet.answer(to: "pulse") == .integer(60))
        #expect(MissingReason.noConsent.code == "no_consent" && MissingReason.noConsent.rawValue == -989)
    }

    @Test func `with permission nothing changes`() throws {
        let sheet = try sheet(["spot": Self.spot, "pulse": 60], forbidden: ["other"])

        #expect(sheet.answer(to: "spot") == .location(Location(latitude: 52.5, longitude: 13.4)))
        #expect(sheet.cleared == [])
    }

    @Test func `a required item of a forbidden kind is not required`() throws {
        let sheet = try sheet([:], forbidden: ["location"])

        #expect(sheet.state(of: "spot") == .missing(.noConsent) && sheet.cleared == [])
        #expect(throws: Faults.self) { try self.sheet([:], forbidden: ["heart"]) }
    }

    @Test func `an invalid answer of a forbidden kind is cleared without a fault`() throws {
        let sheet = try sheet(["spot": ["lat": 999], "pulse": "fast"], forbidden: ["location", "heart"])

        #expect(sheet.cleared == ["spot", "pulse"])
        #expect(sheet.state(of: "pulse") == .missing(.noConsent))
    }

    @Test func `conditions treat a cleared answer as blank`() throws {
        let sheet = try sheet(
            ["spot": Self.spot, "why": "home", "pulse": 150, "far": Self.spot],
            forbidden: ["location", "heart"])

        #expect(sheet.state(of: "why") == .missing(.notShown))
        // An item that is not shown keeps that reason.
        #expect(sheet.state(of: "far") == .missing(.notShown))
        #expect(sheet.cleared == ["spot", "pulse", "why", "far"])
    }

    @Test func `items in instances of a group are cleared with the number of the instance`() throws {
        let sheet = try sheet(
            ["visits": [["name": "a", "at": Self.spot], ["name": "b"], ["name": "c", "at": Self.spot]]],
            forbidden: ["location"])

        #expect(sheet.cleared == ["at.1", "at.3"])
        let codec = AnswerCodec(Self.index)
        let stored = codec.encode(sheet)
        #expect(try codec.decode(stored).states == sheet.states)
        #expect(!stored.repeated.contains { $0.linkId == "at" && $0.value != nil })
    }

    @Test func `an initial value of a forbidden kind is not filled in`() throws {
        #expect(
            try sheet(["spot": Self.spot], forbidden: ["heart"]).state(of: "fixed") == .missing(.noConsent))
        #expect(try sheet(["spot": Self.spot], forbidden: []).answer(to: "fixed") == .text("x"))
    }

    @Test func `nothing of a cleared answer is stored`() throws {
        let codec = AnswerCodec(Self.index)
        let stored = codec.encode(
            try sheet(["spot": Self.spot, "pulse": 60], forbidden: ["location", "heart"]))

        #expect(stored.numbers.allSatisfy { $0 == nil })
        #expect(stored.slots.prefix(2) == [-989, -989])
        #expect(try codec.decode(stored).state(of: "spot") == .missing(.noConsent))
    }

    @Test func `a client can state the missing permission as reason, only for an item of a data kind`() throws
    {
        let sheet = try sheet(
            ["spot": Self.spot], ["pulse": "no_consent"], forbidden: [])
        #expect(sheet.state(of: "pulse") == .missing(.noConsent))
        // A correction submits the reasons of the stored sheet again.
        #expect(sheet.givenReasons["pulse"] == "no_consent")

        do throws(Faults) {
            _ = try self.sheet(["spot": Self.spot], ["why": "no_consent"], forbidden: [])
            Issue.record("the reason was accepted")
        } catch {
            #expect(error.list.map { "\($0.pointer) \($0.code)" } == ["/reasons/why unknown_reason"])
        }
    }

    @Test func `a data kind belongs to questions, and the study must define it`() {
        let group = Samples.questionnaire([
            Samples.item("g", .group) {
                $0.dataKind = "location"
                $0.item = [Samples.item("n", .integer)]
            }
        ])
        #expect(group.faults().map { "\($0.pointer) \($0.code)" } == ["/item/0/data_kind not_for_type"])

        func faults(_ kinds: [String]) -> [String] {
            var study = Sample.study([])
            study.anyTime = ["sample"]
            study.questionnaires = [Self.index.questionnaire]
            study.dataKinds = kinds.map { DataKind(code: $0) }
            return study.faults().filter { $0.code == "unknown_data_kind" }.map(\.detail)
        }
        #expect(faults(["location", "heart"]) == [])
        #expect(
            faults(["heart"]) == [
                "sample.spot names the data kind location, which the study does not have.",
                "sample.far names the data kind location, which the study does not have.",
                "sample.at names the data kind location, which the study does not have.",
            ])
    }

    @Test func `the data kind is part of both forms of a questionnaire`() {
        let questionnaire = Self.index.questionnaire

        #expect(questionnaire.json()["item"]?.array?[0]["data_kind"] == "location")
        #expect(questionnaire.json(language: "en")["item"]?.array?[1]["data_kind"] == "heart")
    }
}
