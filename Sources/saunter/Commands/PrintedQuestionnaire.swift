import SaunterCore
import SaunterEvaluation

/// One questionnaire in one language as HTML for print.
struct PrintedQuestionnaire {
    private let questionnaire: Questionnaire
    private let text: QuestionnaireText
    private let language: String
    private let words: PrintWords

    init(_ questionnaire: Questionnaire, _ text: QuestionnaireText, language: String) {
        self.questionnaire = questionnaire
        self.text = text
        self.language = language
        words = PrintWords.of(language)
    }

    /// A complete page. Each questionnaire begins on a new sheet of paper.
    static func page(_ questionnaires: [PrintedQuestionnaire]) -> String {
        let title = questionnaires.map(\.text.title).joined(separator: ", ")
        return """
            <!DOCTYPE html>
            <html lang="\(HTML.escaped(questionnaires.first?.language ?? "en"))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTML.escaped(title))</title>
            <style>\(style)</style>
            </head>
            <body>
            \(questionnaires.map(\.html).joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private static let style = """
        body { font: 11pt/1.45 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
        section { break-before: page; } section:first-child { break-before: auto; }
        h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
        .item { margin: 1rem 0; break-inside: avoid; } .item .item { margin-left: 1.5rem; }
        .id, .rule, .facts { color: #555; font-size: .85em; } .id { font-family: ui-monospace, monospace; }
        ul { list-style: none; margin: .2rem 0; padding: 0; } li { margin: .1rem 0; }
        .line { border-bottom: 1px solid #777; height: 1.4rem; max-width: 24rem; }
        """

    private var html: String {
        let facts =
            [
                "\(questionnaire.code) \(questionnaire.version)",
                "\(HTML.number(questionnaire.minutes)) \(words.minutes)",
                questionnaire.copyright, questionnaire.license,
            ].compactMap { $0 }
        return """
            <section lang="\(HTML.escaped(language))">
            <h1>\(HTML.escaped(text.title))</h1>
            <p class="facts">\(HTML.escaped(facts.joined(separator: " · ")))</p>
            \(text.description.map { "<p>\(HTML.escaped($0))</p>" } ?? "")
            \(questionnaire.item.map(item).joined(separator: "\n"))
            \(scales)
            </section>
            """
    }

    private func item(_ item: Item) -> String {
        var parts: [String] = []
        let question = HTML.escaped(text.items[item.linkId] ?? "")
        let id = "<span class=\"id\">\(item.linkId)</span>"
        parts.append(item.type == .group ? "<h2>\(question) \(id)</h2>" : "<div>\(id) \(question)</div>")
        if let help = text.help[item.linkId] {
            parts.append("<div class=\"help\">\(HTML.escaped(help))</div>")
        }
        parts += rules(item).map { "<div class=\"rule\">\(HTML.escaped($0))</div>" }
        if item.type.hasOptions {
            let mark = item.type.form == .ranking ? "__" : item.repeats ? "☐" : "○"
            let options = item.answerOption.map { option in
                "<li>\(mark) \(HTML.escaped(label(of: option.value, in: item.linkId))) "
                    + "<span class=\"id\">\(HTML.escaped(option.value.text))</span>\(condition(of: option))</li>"
            }
            parts.append("<ul>\(options.joined(separator: "\n"))</ul>")
        } else if item.type.form == .truth {
            parts.append("<ul><li>○ \(words.yes)</li><li>○ \(words.no)</li></ul>")
        }
        let hasLine =
            item.type.acceptsFreeText || [.number, .text, .moment, .location].contains(item.type.form)
        if hasLine { parts.append("<div class=\"line\"></div>") }
        parts += item.item.map(self.item)
        return "<div class=\"item\">\(parts.joined(separator: "\n"))</div>"
    }

    private func condition(of option: ResponseOption) -> String {
        guard let shown = shown(option.enableWhen, option.enableBehavior) else { return "" }
        return " <span class=\"rule\">\(HTML.escaped("(\(shown))"))</span>"
    }

    private func label(of value: OptionValue, in linkId: String) -> String {
        text.options[linkId]?[value.text] ?? value.text
    }

    /// What a reader must know about the item beside its text, each as one sentence or phrase.
    private func rules(_ item: Item) -> [String] {
        var rules: [String] = []
        if item.required { rules.append(words.required) }
        if item.hidden { rules.append(words.hidden) }
        if item.repeats { rules.append(item.type == .group ? words.repeatable : words.severalAnswers) }
        if let shown = shown(item.enableWhen, item.enableBehavior) { rules.append(shown) }
        if let expression = item.enableWhenExpression { rules.append("\(words.shownIf) \(expression)") }
        if item.minValue != nil || item.maxValue != nil, item.type.form == .number, !item.type.hasUnits {
            let bounds = [item.minValue, item.maxValue].map { $0.map(HTML.number) ?? "…" }
            rules.append("\(bounds[0]) \(words.to) \(bounds[1])")
        }
        if item.type.form == .location {
            rules.append("\(words.decimalPlaces): \(item.storedDecimals)")
        }
        if let kind = item.dataKind { rules.append("\(words.needsPermission): \(kind)") }
        if let placeholder = text.placeholders[item.linkId] {
            rules.append("\(words.placeholder): \(placeholder)")
        }
        if let unit = item.unit { rules.append("\(words.unit): \(unit)") }
        if !item.unitOption.isEmpty {
            rules.append("\(words.units): \(item.unitOption.joined(separator: ", "))")
        }
        if let length = item.maxLength { rules.append("\(words.atMost) \(length) \(words.characters)") }
        if let control = item.itemControl { rules.append("\(words.shownAs) \(control.rawValue)") }
        if let labels = text.anchors[item.linkId] {
            rules += QuestionnaireText.anchorNames.compactMap { end in
                labels[end].map { "\(words.anchors[end] ?? end): \($0)" }
            }
        }
        if let media = text.media[item.linkId] { rules.append("\(words.media): \(media)") }
        return rules
    }

    /// `shown if q1 >= 2 and q2 = yes`; nil without conditions.
    private func shown(_ conditions: [Condition], _ behavior: EnableBehavior) -> String? {
        guard !conditions.isEmpty else { return nil }
        let parts = conditions.map { condition in
            if case .option(let value) = condition.answer {
                let label = label(of: value, in: condition.question)
                return "\(condition.question) \(condition.comparison.rawValue) \(label)"
            }
            if case .boolean(let value) = condition.answer, condition.comparison != .exists {
                return
                    "\(condition.question) \(condition.comparison.rawValue) \(value ? words.yes : words.no)"
            }
            return "\(condition.question) \(condition.comparison.rawValue) \(condition.answer.json.text)"
        }
        let word = behavior == .all ? words.and : words.or
        return "\(words.shownIf) " + parts.joined(separator: " \(word) ")
    }

    private var scales: String {
        guard let scales = questionnaire.scoring?.scales, !scales.isEmpty else { return "" }
        let lines = scales.map { scale in
            let name = text.scales[scale.id] ?? scale.id
            let items = scale.items.joined(separator: ", ")
            let reversed =
                scale.reverse.isEmpty ? "" : "; \(words.reversed): \(scale.reverse.joined(separator: ", "))"
            return "<li>\(HTML.escaped("\(name) (\(scale.id)): \(items)\(reversed)"))</li>"
        }
        return "<h2>\(words.scores)</h2>\n<ul>\(lines.joined(separator: "\n"))</ul>"
    }
}
