import Foundation
import SaunterCore
import Synchronization

/// The response body for variables: values with the labels and sentences of one language.
struct InsightResponse: Sendable {
    private let study: Study
    private let language: String
    private let text: StudyText?

    /// - Parameter language: the language of the texts. The study's first language is used if it is missing.
    init(_ study: Study, language: String) {
        self.study = study
        self.language = study.text[language] == nil ? study.languages.first ?? language : language
        text = study.text[self.language]
    }

    /// One item of `items`.
    func json(_ value: VariableValue, _ shape: VariableShape?) -> JSON {
        [
            "variable": .string(value.variable),
            "title": .string(text?.variables[value.variable]?.title ?? value.variable),
            "value": value.value.json, "label": label(of: value.value, shape?.value),
            "best": .optional(value.best, JSON.int),
            "last_on": .optional(value.lastOn) { .string($0.description) },
            "n": .int(value.n), "reason": .optional(value.reason) { .string($0.rawValue) },
            "window": .optional(value.window) {
                [
                    "from": .string($0.lowerBound.description), "to": .string($0.upperBound.description),
                ]
            },
            "entries": .optional(value.entries) { .array($0.map { entry($0, shape) }) },
            "text": .optional(sentence(value, shape), JSON.string),
            "private": .bool(isPrivate(shape)),
        ]
    }

    /// Whether the values contain locations or words of the participant.
    private func isPrivate(_ shape: VariableShape?) -> Bool {
        guard let shape else { return true }
        return shape.isFreeText || shape.key == .location || shape.value == .location
    }

    /// One item of `feedback` in the receipt of a sheet.
    func feedback(_ value: VariableValue, _ shape: VariableShape?) -> JSON {
        [
            "variable": .string(value.variable), "value": value.value.json,
            "text": .optional(sentence(value, shape), JSON.string),
        ]
    }

    private func entry(_ entry: VariableValue.Entry, _ shape: VariableShape?) -> JSON {
        [
            "key": .string(entry.key), "label": .optional(label(of: entry.key, shape?.key), JSON.string),
            "value": entry.value.json, "value_label": label(of: entry.value, shape?.value),
            "n": .int(entry.n), "reason": .optional(entry.reason) { .string($0.rawValue) },
            "best": .optional(entry.best, JSON.int),
            "last_on": .optional(entry.lastOn) { .string($0.description) },
        ]
    }

    /// The sentence about a value; nil if it has no value or the pack has no sentence for it.
    private func sentence(_ value: VariableValue, _ shape: VariableShape?) -> String? {
        guard value.reason == nil, let texts = text?.variables[value.variable] else { return nil }
        let number: Double? = if case .number(let number) = value.value { number.double } else { nil }
        let template: String? =
            if texts.above != nil || texts.below != nil || texts.equal != nil {
                number.flatMap { $0 > 0 ? texts.above : $0 < 0 ? texts.below : texts.equal }
            } else {
                texts.text
            }
        guard let template else { return nil }
        let shown = label(of: value.value, shape?.value).string ?? words(value.value)
        return TextTemplate.fill(
            template,
            ["n": String(value.n), "best": value.best.map(String.init) ?? "", "value": shown])
    }

    /// A value as people write it in the language: at most two decimal places.
    private func words(_ value: ExpressionValue) -> String {
        switch value {
        case .blank: ""
        case .number(let number):
            number.double.formatted(
                .number.precision(.fractionLength(0...2)).locale(Locale(identifier: language)))
        case .boolean(let truth): truth ? "true" : "false"
        case .text(let text): text
        case .several(let values): values.map(words).joined(separator: ", ")
        case .date, .time, .instant: value.json.string ?? ""
        }
    }

    /// The label of a value: a text, or null if the value needs no label. Several values are joined by commas.
    private func label(of value: ExpressionValue, _ kind: VariableShape.Label?) -> JSON {
        let codes: [String] =
            switch value {
            case .several(let values): values.map { $0.json.string ?? $0.json.text }
            case .blank: []
            default: [value.json.string ?? value.json.text]
            }
        let labels = codes.compactMap { label(of: $0, kind) }
        return labels.isEmpty ? .null : .string(labels.joined(separator: ", "))
    }

    /// The label of a code in the language; nil if the code is shown as it is.
    private func label(of code: String, _ kind: VariableShape.Label?) -> String? {
        switch kind {
        case .option(let questionnaire, let item):
            study.questionnaire(questionnaire)?.text(in: language).options[item]?[code]
        case .item(let questionnaire): study.questionnaire(questionnaire)?.text(in: language).items[code]
        case .questionnaire: study.questionnaire(code)?.text(in: language).title
        case .feature: text?.features[code]?.title
        case .weekday: Int(code).flatMap(weekday)
        case .hour, .date, .sheet, .source, .location, .plain, nil: nil
        }
    }

    /// The name of a weekday: 1 is Monday.
    private func weekday(_ number: Int) -> String? {
        let names = Self.weekdays.withLock { known in
            if let names = known[language] { return names }
            var calendar = Calendar(identifier: .gregorian)
            calendar.locale = Locale(identifier: language)
            known[language] = calendar.standaloneWeekdaySymbols
            return calendar.standaloneWeekdaySymbols
        }
        return (1...7).contains(number) && names.count == 7 ? names[number % 7] : nil
    }

    /// The names of the weekdays by language, from Sunday. Creating a calendar takes longer than computing a variable.
    private static let weekdays = Mutex<[String: [String]]>([:])

    private static let valueSchema = Schema.nullable(.any)

    static let schema = Schema.named(
        "Insights",
        .object([
            .required(
                "items",
                .array(
                    of: .named(
                        "Insight",
                        .object([
                            .required("variable", .string(), "The id of the variable."),
                            .required("title", .string(), "The title in the language of the response."),
                            .required(
                                "value", valueSchema,
                                "A number, text, code, date, instant or true or false; a list for several options; null if there is none, and for a variable with `entries`."
                            ),
                            .required(
                                "label", .nullable(.string()),
                                "The words for the value if it is a code; otherwise null."),
                            .required(
                                "best", .nullable(.integer(min: 0)),
                                "The longest streak; null for other variables."),
                            .required(
                                "last_on", .nullable(.string(format: .date)),
                                "The last local date of a streak or an instant; null if there is none."),
                            .required(
                                "n", .integer(min: 0),
                                "The number of entries from which the value was computed."),
                            .required(
                                "reason",
                                .nullable(
                                    .string(values: VariableValue.Reason.allCases.map(\.rawValue))),
                                "Why the value is null: `too_few` entries, or `undefined`; null if there is a value."
                            ),
                            .required(
                                "window",
                                .nullable(
                                    .object([
                                        .required(
                                            "from", .string(format: .date), "The first local date."),
                                        .required(
                                            "to", .string(format: .date), "The last local date."),
                                    ])),
                                "The local dates whose entries count; null if the variable has no window."),
                            .required(
                                "entries", .nullable(.array(of: entrySchema)),
                                "The values by key; null if the variable has one value."),
                            .required(
                                "text", .nullable(.string()),
                                "A sentence about the value; null if there is no value or no sentence."),
                            .required(
                                "private", .boolean,
                                "Whether the values contain locations or words of the participant. A page that the participant gives to another person omits them."
                            ),
                        ]))), "One item for each variable."),
            .required("as_of", .instant, "The instant for which the values were computed."),
            .required("local_date", .string(format: .date), "The participant's local date at that instant."),
            .required("next", .nullable(.string()), "Always null: the list has one page."),
        ]))

    private static let entrySchema = Schema.named(
        "InsightEntry",
        .object([
            .required("key", .string(), "An option, questionnaire, date, hour or another key."),
            .required(
                "label", .nullable(.string()), "The words for the key; null if the key is shown as it is."),
            .required("value", valueSchema, "The value of this key; null if there is none."),
            .required(
                "value_label", .nullable(.string()),
                "The words for the value if it is a code; otherwise null."),
            .required("n", .integer(min: 0), "The number of entries from which the value was computed."),
            .required(
                "reason", .nullable(.string(values: VariableValue.Reason.allCases.map(\.rawValue))),
                "Why the value is null; null if there is a value."),
            .required(
                "best", .nullable(.integer(min: 0)), "The longest streak; null for other variables."),
            .required(
                "last_on", .nullable(.string(format: .date)),
                "The last local date of a streak; null for other variables."),
        ]))

    /// The member `feedback` of a receipt.
    static let feedbackMember = Schema.Member.required(
        "feedback",
        .array(
            of: .named(
                "Feedback",
                .object([
                    .required("variable", .string(), "The id of the variable."),
                    .required("value", valueSchema, "The value, including this sheet."),
                    .required(
                        "text", .nullable(.string()),
                        "A sentence in the participant's language; null if there is none."),
                ]))),
        "Variables that the study reports after this questionnaire, such as a streak. Empty if there are none."
    )
}
