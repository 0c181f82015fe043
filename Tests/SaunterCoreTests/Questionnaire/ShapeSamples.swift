@testable import SaunterCore

/// A questionnaire with items that need more than one slot: units, free text, rankings, lists and repeating groups.
enum ShapeSamples {
    private typealias Samples = QuestionnaireSamples

    static let items: [Item] = [
        Samples.item("open", .openChoice) { $0.answerOption = codes(["a", "b"]) },
        Samples.item("opens", .openChoice) {
            $0.answerOption = codes(["a", "b"]) + [ResponseOption(value: .code("none"), exclusive: true)]
            ($0.repeats, $0.maxOccurs) = (true, 2)
        },
        Samples.item("mass", .quantity) {
            ($0.unitOption, $0.minValue, $0.maxDecimalPlaces) = (["kg", "g"], 0, 1)
        },
        Samples.item("rank", .ranking) { $0.answerOption = codes(["a", "b", "c"]) },
        Samples.item("lines", .string) { ($0.repeats, $0.minOccurs, $0.maxOccurs) = (true, 2, 3) },
        Samples.item("days", .date) { $0.repeats = true },
        Samples.item("group", .group) {
            ($0.repeats, $0.maxOccurs) = (true, 3)
            $0.item = [
                Samples.item("name", .string) { ($0.required, $0.regex) = (true, "[a-z0-9]+") },
                Samples.item("inner", .group) {
                    $0.item = [
                        Samples.item("dose", .decimal), Samples.choice("at", ["x", "y"], repeats: true),
                        Samples.item("own", .openChoice) { $0.answerOption = codes(["a"]) },
                        Samples.item("owns", .openChoice) {
                            ($0.repeats, $0.answerOption) = (true, codes(["a"]))
                        },
                        Samples.item("size", .quantity) { $0.unitOption = ["m"] },
                        Samples.item("more", .time) {
                            $0.enableWhen = [Samples.when("dose", .greater, .decimal(1))]
                        },
                    ]
                },
            ]
        },
    ]

    static let index = QuestionnaireIndex(Samples.questionnaire(items))

    static func codes(_ codes: [String]) -> [ResponseOption] {
        codes.map { ResponseOption(value: .code($0)) }
    }

    static func sheet(_ answers: JSONObject, _ reasons: JSONObject = [:]) throws(Faults) -> AnswerSheet {
        try AnswerSheet(answers: answers, reasons: reasons, of: index)
    }

    /// The pointer and code of every fault.
    static func faults(_ answers: JSONObject, _ reasons: JSONObject = [:]) -> [String] {
        do throws(Faults) {
            _ = try sheet(answers, reasons)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }
}
