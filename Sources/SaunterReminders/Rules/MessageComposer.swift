import Foundation
import SaunterCore
import SaunterStore

/// Fills the words of a rule's message in the participant's language, and selects its content.
struct MessageComposer: Sendable {
    let study: PublishedStudy
    let enrolment: Enrolment
    /// The live edition; nil if the study has none.
    let library: PublishedEdition?
    let conditions: ContentConditions
    /// The secret of the study.
    let secret: [UInt8]
    let variables: VariableFacts
    /// What the participant has. Locked items are in no message.
    let entitlements: Set<String>
    let publicURL: String
    let now: Instant

    /// The message of a decision. `{{name}}` stays a placeholder, because the name is not stored with research data.
    /// - Parameter history: what the participant was shown of the collection; nil for a message without content.
    /// - Returns: nil if the collection has no item for the participant, or the study has no text for the rule.
    func compose(_ decision: RuleDecision, _ history: ContentHistory?) throws -> ComposedMessage? {
        let language = ReminderText.language(of: study.study, for: enrolment) ?? enrolment.language
        guard let message = study.study.rule(decision.point.rule)?.message,
            let text = study.study.text[language]?.rules[decision.point.rule]
        else { return nil }
        var values = study.study.links
        values["study"] = study.study.text[language]?.title ?? study.study.code
        values["url"] = publicURL
        values["it.code"] = decision.point.key
        for variable in decision.variables { values[variable.name] = words(variable.value, language) }
        var content: ComposedMessage.Content?
        if let wanted = message.content {
            guard let history, let found = select(wanted, decision, history) else { return nil }
            content = found.content
            for (name, value) in found.fields(language) { values["content.\(name)"] = value }
        }
        var body = TextTemplate.fill(text.body, values)
        if let line = text.line {
            for repetition in decision.lines {
                var own = values
                own["it.code"] = repetition.key
                for value in repetition.values { own[value.name] = words(value.value, language) }
                body += "\n" + TextTemplate.fill(line, own)
            }
        }
        return ComposedMessage(
            subject: ReminderText.singleLine(TextTemplate.fill(text.subject, values)), body: body,
            target: message.target.map { TextTemplate.fill($0, values) }, content: content)
    }

    /// A value as people read it.
    private func words(_ value: JSON, _ language: String) -> String {
        if let list = value.array { return list.map { words($0, language) }.joined(separator: ", ") }
        if let number = value.double {
            return number.formatted(
                .number.precision(.fractionLength(0...2)).locale(Locale(identifier: language)))
        }
        return value.string ?? ""
    }

    // MARK: - Content

    private struct Found {
        let content: ComposedMessage.Content
        let item: ContentItem
        let collection: ContentCollection

        /// Name of a field -> its text.
        func fields(_ language: String) -> [(String, String)] {
            collection.fields.compactMap { field in
                switch item.value(of: field.name, in: language) {
                case .text(let text):
                    (field.name, field.kind == .markdown ? PlainText.of(markdown: text) : text)
                case .integer(let number): (field.name, String(number))
                case .decimal(let number): (field.name, String(number))
                case .map, .media, .variants, nil: (field.name, "")
                }
            }
        }
    }

    private func select(
        _ wanted: DecisionRule.Content, _ decision: RuleDecision, _ history: ContentHistory
    ) -> Found? {
        guard let library, let collection = library.library.collection(wanted.collection) else { return nil }
        let conditions = conditions.conditions(of: decision.point.rule)
        let candidates = collection.candidates(
            arm: enrolment.arm, entitlements: entitlements, conditions: conditions,
            in: conditions.isEmpty ? nil : study.variables.scope(from: variables, at: now))
        let selector = ContentSelector(secret: secret, collection: collection.code)
        let today = enrolment.zone.local(of: now).date
        func found(_ item: ContentItem?, date: LocalDate?) -> Found? {
            item.flatMap { $0.isLocked(for: entitlements) ? nil : $0 }.map {
                Found(
                    content: ComposedMessage.Content(
                        collection: collection.code,
                        selected: SelectedItem(item: $0.id, edition: library.edition), date: date),
                    item: $0, collection: collection)
            }
        }
        switch wanted.selection {
        case .daily:
            if collection.selections.contains(.dailyForStudy) {
                let date = study.study.zone.local(of: now).date
                return found(
                    ContentSelector.item(on: date, of: selector.order(of: collection.items)), date: nil)
            }
            let known = history.daily[today].flatMap { collection.item($0.item) }
                .flatMap { $0.isLocked(for: entitlements) ? nil : $0 }
            let chosen = selector.days(
                [today], among: candidates, for: enrolment.id, shown: history.shownAt, selected: [:])
            return found(known ?? chosen[today].flatMap { collection.item($0) }, date: today)
        case .draw:
            return found(
                selector.next(
                    among: candidates, for: enrolment.id, shown: history.shownAt,
                    coming: Set(history.daily.values.map(\.item))), date: nil)
        case .published: return found(collection.item(decision.point.key), date: nil)
        }
    }
}
