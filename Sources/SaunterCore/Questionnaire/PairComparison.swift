/// One decision between two options of a ranking.
package struct PairComparison: Sendable, Hashable {
    /// In the order in which they were shown, where `isShownOrder`; else the better one first.
    package let first: OptionValue
    package let second: OptionValue
    /// The preferred one of the two; nil where neither was.
    package let choice: OptionValue?
    /// Whether the device told in which order the two were shown.
    package let isShownOrder: Bool
    /// How long it took, where the device told.
    package let milliseconds: Int?

    /// A day: nobody looks at two words for longer.
    static let longestMilliseconds = 86_400_000

    /// What was shown, and what was chosen of it.
    package init(first: OptionValue, second: OptionValue, choice: OptionValue?, milliseconds: Int? = nil) {
        self.init(first, second, choice, isShownOrder: true, milliseconds)
    }

    /// A preference of which nobody knows how it was asked.
    package init(better: OptionValue, worse: OptionValue) {
        self.init(better, worse, better, isShownOrder: false, nil)
    }

    private init(
        _ first: OptionValue, _ second: OptionValue, _ choice: OptionValue?, isShownOrder: Bool,
        _ milliseconds: Int?
    ) {
        self.first = first
        self.second = second
        self.choice = choice
        self.isShownOrder = isShownOrder
        self.milliseconds = milliseconds
    }

    /// The other one, where one was preferred.
    package var loser: OptionValue? { choice.map { $0 == first ? second : first } }

    /// `["sleep", "sport"]`, the better one first, or `{"shown": […], "choice": …, "time_ms": …}`.
    var json: JSON {
        guard isShownOrder else { return [first.json, second.json] }
        var object: JSONObject = [
            "shown": [first.json, second.json], "choice": choice.map(\.json) ?? .null,
        ]
        object.add("time_ms", milliseconds.map { .int($0) })
        return .object(object)
    }
}

/// As rows of the dataset: `sleep>sport` or, where neither was preferred, `sleep=sport`; the option that was shown first
/// and the time in rows of their own.
extension PairComparison {
    private static let shownFirst = "shown_first"
    private static let time = "time_ms"

    func rows(of linkId: String, instance: Int) -> [RepeatedAnswer] {
        func row(_ value: String, _ option: String = "") -> RepeatedAnswer {
            RepeatedAnswer(
                linkId: linkId, instance: instance, option: option, type: ItemType.ranking.storedName,
                value: value)
        }
        let told =
            if let choice, let loser { "\(choice.text)>\(loser.text)" } else {
                "\(first.text)=\(second.text)"
            }
        return [row(told)] + (isShownOrder ? [row(first.text, Self.shownFirst)] : [])
            + (milliseconds.map { [row(String($0), Self.time)] } ?? [])
    }

    /// Reads the rows of one comparison back; nil for such as are none of these options.
    init?(_ rows: [RepeatedAnswer], options: [OptionValue]) {
        func value(_ option: String) -> String? { rows.first { $0.option == option }?.value }
        guard Set(rows.map(\.option)).count == rows.count, let told = value("") else { return nil }
        let isEven = told.contains("=")
        let names = told.split(separator: isEven ? "=" : ">", omittingEmptySubsequences: false)
        guard names.count == 2, let one = options.first(where: { $0.text == names[0] }),
            let other = options.first(where: { $0.text == names[1] })
        else { return nil }
        let milliseconds = value(Self.time).flatMap { Int($0) }
        switch value(Self.shownFirst) {
        case nil where !isEven && rows.count == 1: self.init(better: one, worse: other)
        case one.text:
            self.init(first: one, second: other, choice: isEven ? nil : one, milliseconds: milliseconds)
        case other.text:
            self.init(first: other, second: one, choice: isEven ? nil : one, milliseconds: milliseconds)
        default: return nil
        }
    }
}
