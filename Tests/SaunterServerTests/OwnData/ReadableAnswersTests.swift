import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct ReadableAnswersTests {
    private static let questionnaire: Questionnaire = {
        func item(_ name: String, _ type: ItemType, _ change: (inout Item) -> Void = { _ in }) -> Item {
            var item = Item(linkId: name, type: type)
            change(&item)
            return item
        }
        let options = [ResponseOption(value: .integer(0)), ResponseOption(value: .code("b"))]
        let dose = item("dose", .quantity) { $0.unitOption = ["mg", "g"] }
        return Questionnaire(
            code: "q", version: "1.0.0",
            item: [
                item("often", .choice) { $0.answerOption = options },
                item("several", .choice) {
                    $0.answerOption = options
                    $0.repeats = true
                },
                item("smokes", .boolean), item("height", .decimal) { $0.unit = "cm" }, item("note", .text),
                item("order", .ranking) { $0.answerOption = options },
                item("drugs", .group) {
                    $0.repeats = true
                    $0.item = [dose]
                },
                item("spot", .location),
                item("wishes", .string) { ($0.repeats, $0.itemControl) = (true, .pairwise) },
            ],
            text: [
                "de": QuestionnaireText(
                    title: "Fragen", items: ["often": "Wie oft?", "dose": "Menge"],
                    options: ["often": ["0": "Nie", "b": "Oft"], "order": ["0": "Null", "b": "Be"]])
            ], languages: ["de"])
    }()

    private static func lines(_ answers: JSONObject, reasons: JSONObject = [:]) throws -> [String: String] {
        let sheet = try AnswerSheet(answers: answers, reasons: reasons, of: questionnaire)
        let lines = ReadableAnswers(questionnaire, language: "de", words: .german).lines(of: sheet)
        return Dictionary(lines.map { ($0.question, $0.answer) }) { first, _ in first }
    }

    @Test func `options have their labels, and everything else a readable form`() throws {
        let lines = try Self.lines([
            "often": "b", "several": [0, "b"], "smokes": true, "height": 172.5, "note": "Zeile 1\nZeile 2",
            "order": ["b", 0], "drugs": [["dose": ["value": 2.5, "unit": "mg"]], [:]],
            "spot": ["lat": 52.516, "lon": 13.377, "accuracy_m": 8],
            "wishes": ["values": ["Ruhe", "Sonne"], "comparisons": [["Sonne", "Ruhe"]]],
        ])

        #expect(
            lines == [
                "Wie oft?": "Oft", "several": "0; b", "smokes": "ja", "height": "172.5 cm",
                "note": "Zeile 1\nZeile 2", "order": "1. Be; 2. Null", "Menge (1)": "2.5 mg",
                "Menge (2)": "keine Antwort", "spot": "lat: 52.52, lon: 13.38, accuracy_m: 8",
                "wishes": "1. Sonne; 2. Ruhe",
            ])
    }

    @Test func `a blank shows its reason`() throws {
        let lines = try Self.lines(["smokes": false], reasons: ["often": "refused"])

        #expect(lines["Wie oft?"] == "bewusst nicht beantwortet")
        #expect(lines["smokes"] == "nein")
        #expect(lines["note"] == "keine Antwort")
    }
}
