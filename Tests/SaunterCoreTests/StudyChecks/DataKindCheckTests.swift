import Testing

@testable import SaunterCore

@Suite("Study check, data kinds")
struct DataKindCheckTests {
    private static let heartRate = DataKind.Code(system: "http://loinc.org", code: "8867-4")

    /// A mood with a place, and walks with a heart rate that needs consent.
    private static func validStudy() throws -> Study {
        var study = Sample.study([
            Sample.schedule(asks: "mood", slots: [try Sample.slot("08:00", due: hour, close: hour)])
        ])
        var place = Item(linkId: "place", type: .location)
        place.dataKind = "location"
        study.questionnaires[0].item = [place]
        study.dataKinds = [
            DataKind(code: "location"),
            DataKind(code: "heart_rate", walkSeries: [.heartRate], observations: [heartRate]),
        ]
        let title = TitledText(title: "Title", text: "Text")
        study.text["en"]?.dataKinds = ["location": title, "heart_rate": title]
        return study
    }

    private func check(_ change: (inout Study) throws -> Void) throws -> (faults: [String], hints: [String]) {
        var study = try Self.validStudy()
        try change(&study)
        let result = study.checked()
        return (
            result.faults.map { "\($0.pointer) \($0.code)" },
            result.hints.map { "\($0.pointer) \($0.code)" }
        )
    }

    @Test func `a valid study has neither faults nor hints`() throws {
        let found = try check { _ in }

        #expect(found.faults == [] && found.hints == [])
    }

    @Test func `a kind to which nothing belongs is remarked`() throws {
        let found = try check {
            $0.dataKinds.append(DataKind(code: "exchange"))
            $0.text["en"]?.dataKinds["exchange"] = TitledText(title: "T", text: "T")
        }

        #expect(found.faults == [] && found.hints == ["/data_kinds/2 never_used"])
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        var change: @Sendable (inout Study) -> Void

        init(_ name: String, _ expected: [String], _ change: @escaping @Sendable (inout Study) -> Void) {
            testDescription = name
            self.expected = expected
            self.change = change
        }
    }

    @Test(arguments: [
        Broken("a kind that the study lacks", ["/questionnaires/0 unknown_data_kind"]) {
            $0.dataKinds.removeFirst()
            $0.text["en"]?.dataKinds["location"] = nil
        },
        Broken("a code twice", ["/data_kinds/2/code duplicate"]) { $0.dataKinds.append($0.dataKinds[0]) },
        Broken("a series twice", ["/data_kinds/1/walk_series/0 duplicate"]) {
            $0.dataKinds[0].walkSeries = [.heartRate]
        },
        Broken("series in a study without walks", ["/data_kinds/1/walk_series no_walks"]) {
            $0.walking = nil
        },
        Broken("an observation twice", ["/data_kinds/1/observations/1 duplicate"]) {
            $0.dataKinds[1].observations.append(heartRate)
        },
        Broken("a wrong code", ["/data_kinds/1/observations/0/code not_a_loinc_code"]) {
            $0.dataKinds[1].observations[0].code = "8867-5"
        },
        Broken("a missing text", ["/text/en/data_kinds missing_text"]) {
            $0.text["en"]?.dataKinds["location"] = nil
        },
        Broken("the text of no kind", ["/text/en/data_kinds/extra unknown_data_kind"]) {
            $0.text["en"]?.dataKinds["extra"] = TitledText(title: "T", text: "T")
        },
        Broken("a scored item", ["/questionnaires/0 scored_data_kind"]) {
            var pulse = Item(linkId: "pulse", type: .integer)
            (pulse.dataKind, pulse.minValue, pulse.maxValue) = ("heart_rate", 0, 200)
            $0.questionnaires[0].item.append(pulse)
            $0.questionnaires[0].scoring = ScoringKey(
                version: "1.0.0", scales: [Scale(id: "pulse", items: ["pulse"], method: .sum)])
        },
    ])
    func `a broken definition is reported`(_ broken: Broken) throws {
        #expect(try check { broken.change(&$0) }.faults == broken.expected)
    }
}
