import SaunterCore
import SaunterEvaluation

/// The questions and answers of one sheet in the words that a participant reads.
struct ReadableAnswers {
    /// A question with its answer.
    struct Line {
        var item: String
        var question: String
        /// The answer, or the reason why there is none.
        var answer: String
        var isAnswered: Bool
    }

    private let items: [String: Item]
    private let text: QuestionnaireText
    private let words: OwnDataWords

    /// - Parameter language: the language in which the sheet was answered.
    init(_ questionnaire: Questionnaire, language: String, words: OwnDataWords) {
        func all(_ items: [Item]) -> [Item] { items.flatMap { [$0] + all($0.item) } }
        items = Dictionary(
            all(questionnaire.item).map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        text = questionnaire.text(in: language)
        self.words = words
    }

    /// One line per question, in the questionnaire's order. The questions of a repeating group follow once for each of
    /// its instances, with its number.
    func lines(of sheet: AnswerSheet) -> [Line] {
        sheet.questions.flatMap { lines($0, sheet.state(of: $0), instance: nil) }
    }

    private func lines(_ linkId: String, _ state: AnswerState, instance: Int?) -> [Line] {
        let question = (text.question(linkId) ?? linkId) + (instance.map { " (\($0))" } ?? "")
        switch state {
        case .missing(let reason):
            return [Line(item: linkId, question: question, answer: words.missing(reason), isAnswered: false)]
        case .answered(.instances(let instances)):
            return instances.enumerated().flatMap { number, instance in
                instance.questions.flatMap { name in
                    lines(name, instance.states[name] ?? .missing(.notInVersion), instance: number + 1)
                }
            }
        case .answered(let answer):
            return [Line(item: linkId, question: question, answer: string(answer, linkId), isAnswered: true)]
        }
    }

    private func string(_ answer: Answer, _ linkId: String) -> String {
        switch answer {
        case .boolean(let value): value ? words[.yes] : words[.no]
        case .integer(let value): withUnit(String(value), linkId)
        case .decimal(let value): withUnit(JSON.double(value).text, linkId)
        case .text(let value), .freeText(let value): value
        case .date(let value): value.description
        case .time(let value): value.description
        case .dateTime(let value): value.description
        case .option(let option): label(option, linkId)
        case .options, .optionsAndFreeText, .list:
            answer.values.map { string($0, linkId) }.joined(separator: "; ")
        case .quantity(let measure): "\(JSON.double(measure.value).text) \(measure.unit)"
        case .ranking(let ranking):
            zip(ranking.options, ranking.ranks).sorted { $0.1 < $1.1 }
                .map { "\($0.1). \(label($0.0, linkId))" }.joined(separator: "; ")
        case .comparedWords(let compared):
            zip(compared.words, compared.ranking.ranks).sorted { $0.1 < $1.1 }
                .map { "\($0.1). \($0.0)" }.joined(separator: "; ")
        default: Self.plain(answer.json)
        }
    }

    private func label(_ option: OptionValue, _ linkId: String) -> String {
        text.options[linkId]?[option.text] ?? option.text
    }

    private func withUnit(_ number: String, _ linkId: String) -> String {
        items[linkId]?.unit.map { "\(number) \($0)" } ?? number
    }

    /// A JSON value without its punctuation, such as `lat: 52.52, lon: 13.41`.
    private static func plain(_ value: JSON) -> String {
        if let object = value.object {
            return object.map { "\($0.name): \(plain($0.value))" }.joined(separator: ", ")
        }
        if let list = value.array { return list.map(plain).joined(separator: "; ") }
        return value.string ?? value.text
    }
}
