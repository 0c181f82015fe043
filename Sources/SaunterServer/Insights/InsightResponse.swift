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

    /// Writes one item of `items`.
    func write(_ value: VariableValue, _ shape: VariableShape?, to writer: inout JSONWriter) {
        let labels = labels(of: shape?.value)
        writer.object { writer in
            writer.member("variable", value.variable)
            writer.member("title", text?.variables[value.variable]?.title ?? value.variable)
            writer.member("value", value.value.json)
            writer.member("label", label(of: value.value, labels))
            writer.member("best", .optional(value.best, JSON.int))
            writer.member("last_on", value.lastOn?.description)
            writer.member("unit", unit(of: value.variable))
            writer.member("n", .int(value.n))
            writer.member("reason", value.reason?.rawValue)
            writer.name("window")
            if let window = value.window {
                writer.object { writer in
                    writer.member("from", window.lowerBound.description)
                    writer.member("to", window.upperBound.description)
                }
            } else {
                writer.write(.null)
            }
            writer.name("entries")
            if let entries = value.entries {
                let keyLabels = self.labels(of: shape?.key)
                writer.array(entries) { write($1, keys: keyLabels, values: labels, to: &$0) }
            } else {
                writer.write(.null)
            }
            writer.member("text", sentence(value, labels))
            writer.member("private", .bool(isPrivate(shape)))
        }
    }

    private func unit(of variable: String) -> String? {
        study.variables.first { $0.id == variable }.flatMap { study.unit(of: $0) }
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
            "text": .optional(sentence(value, labels(of: shape?.value)), JSON.string),
        ]
    }

    private func write(
        _ entry: VariableValue.Entry, keys: Labels?, values: Labels?, to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("key", entry.key)
            writer.member("label", keys?(entry.key))
            writer.member("value", entry.value.json)
            writer.member("value_label", label(of: entry.value, values))
            writer.member("n", .int(entry.n))
            writer.member("reason", entry.reason?.rawValue)
            writer.member("best", .optional(entry.best, JSON.int))
            writer.member("last_on", entry.lastOn?.description)
        }
    }

    /// The sentence about a value; nil if it has no value or the pack has no sentence for it.
    private func sentence(_ value: VariableValue, _ labels: Labels?) -> String? {
        guard value.reason == nil, let texts = text?.variables[value.variable] else { return nil }
        let number: Double? = if case .number(let number) = value.value { number.double } else { nil }
        let template: String? =
            if texts.above != nil || texts.below != nil || texts.equal != nil {
                number.flatMap { $0 > 0 ? texts.above : $0 < 0 ? texts.below : texts.equal }
            } else {
                texts.text
            }
        guard let template else { return nil }
        let shown = label(of: value.value, labels) ?? words(value.value)
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
        case .boolean(let truth): OwnDataWords(language: language)[truth ? .yes : .no]
        case .text(let text): text
        case .several(let values): values.map(words).joined(separator: ", ")
        case .date(let date):
            Date(timeIntervalSince1970: Double(date.days) * 86_400).formatted(
                Date.FormatStyle(
                    date: .long, time: .omitted, locale: Locale(identifier: language), timeZone: .gmt))
        case .time, .instant: value.json.string ?? ""
        }
    }

    /// The label of a code; nil if the code is shown as it is.
    private typealias Labels = (_ code: String) -> String?

    /// The label of a value; nil if the value needs none. Several values are joined by commas.
    private func label(of value: ExpressionValue, _ labels: Labels?) -> String? {
        guard let labels else { return nil }
        let codes: [ExpressionValue] =
            switch value {
            case .several(let values): values
            case .blank: []
            default: [value]
            }
        let found = codes.compactMap { labels($0.json.string ?? $0.json.text) }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }

    /// The labels of codes of a kind in the language; nil if these codes are shown as they are.
    private func labels(of kind: VariableShape.Label?) -> Labels? {
        switch kind {
        case .option(let questionnaire, let item):
            return labels(study.questionnaire(questionnaire)?.text(in: language).options[item])
        case .item(let questionnaire):
            return labels(study.questionnaire(questionnaire)?.text(in: language).items)
        case .questionnaire: return { study.questionnaire($0)?.text(in: language).title }
        case .feature: return { text?.features[$0]?.title }
        case .weekday: return { Int($0).flatMap(weekday) }
        case .hour: return { Int($0).flatMap(hour) }
        case .date, .sheet, .source, .location, .plain, nil: return nil
        }
    }

    private func labels(_ texts: [String: String]?) -> Labels? { texts.map { texts in { texts[$0] } } }

    /// When an hour begins, such as 08:00.
    private func hour(_ number: Int) -> String? {
        (0...23).contains(number) ? "\(number < 10 ? "0" : "")\(number):00" : nil
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
                                "unit", .nullable(.string()),
                                "The unit of the values in UCUM, such as `min`; null for values without a unit."
                            ),
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
