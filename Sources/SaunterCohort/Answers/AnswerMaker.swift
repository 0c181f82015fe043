import Foundation
import SaunterCore

/// Generates answers to a published questionnaire from a participant's level, the study day, the treatment and a random
/// source.
struct AnswerMaker {
    let person: Person
    /// Days since enrolment. The level drifts a little during the study.
    let day: Int
    /// The directions of items; see `AnswerModel`.
    let directions: [String: Double]
    /// The choices that depend on a number, by linkId.
    let choices: [String: AnswerHints.Choice]
    let isTreated: Bool
    /// The kinds of data that the participant permits.
    let permitted: Set<String>
    /// The local date and time of completion.
    private let date: LocalDate
    private let time: LocalTime
    /// How well the participant feels, 0 to 1.
    private let state: Double
    private var numbers: SeededNumbers
    private var enableWhen: EnableWhen
    private var answers = JSONObject()

    /// - Parameters:
    ///   - questionnaire: the definition from the API.
    ///   - today: the local day on which it is completed.
    ///   - time: the local time of completion.
    ///   - permitted: the kinds of data that the participant permits.
    static func answers(
        to questionnaire: JSON, by person: Person, day: Int, today: LocalDate, at time: LocalTime = .midnight,
        permitted: Set<String> = [], isTreated: Bool, model: AnswerModel, numbers: SeededNumbers
    ) -> JSONObject {
        var maker = AnswerMaker(
            person: person, day: day, directions: model.directions(of: questionnaire),
            choices: model.choices(of: questionnaire), isTreated: isTreated, permitted: permitted,
            date: today, time: time, state: person.course.state(on: today, at: time), numbers: numbers,
            enableWhen: EnableWhen(questionnaire, on: today))
        maker.fill(questionnaire["item"]?.array ?? [])
        return maker.answers
    }

    private mutating func fill(_ items: [JSON]) {
        for item in items where enableWhen.isShown(item) {
            let name = item["linkId"]?.string ?? ""
            // A client cannot set read-only and hidden items. If a sheet omits them, they have their initial value.
            let isFixed = item["readOnly"]?.bool == true || item["hidden"]?.bool == true
            if let answer = isFixed ? item["initial"] : answer(to: item) {
                if !isFixed { answers[name] = answer }
                enableWhen.store(answer, for: name)
            }
            if !Self.isRepeatingGroup(item) { fill(item["item"]?.array ?? []) }
        }
    }

    private static func isRepeatingGroup(_ item: JSON) -> Bool {
        item["repeats"]?.bool == true && item.itemType == .group
    }

    /// Fills in the minimum number of instances of a repeating group, at least one.
    private mutating func instances(of group: JSON) -> JSON {
        let outer = answers
        defer { answers = outer }
        var instances: [JSON] = []
        for _ in 0..<max(1, group["minOccurs"]?.int ?? 1) {
            answers = JSONObject()
            enableWhen.beginInstance(of: group["linkId"]?.string ?? "")
            fill(group["item"]?.array ?? [])
            enableWhen.endInstance()
            instances.append(.object(answers))
        }
        return .array(instances)
    }

    private mutating func answer(to item: JSON) -> JSON? {
        if let kind = item["data_kind"]?.string, !permitted.contains(kind) { return nil }
        // Most participants keep a default answer.
        if let initial = item["initial"], numbers.chance(0.6) { return initial }
        if Self.isRepeatingGroup(item) { return instances(of: item) }
        guard item["repeats"]?.bool == true, item["answerOption"] == nil else { return oneAnswer(item) }
        if item.itemType == .time { return .array(times(item)) }
        // The minimum number of answers of a repeating item.
        guard let first = oneAnswer(item) else { return nil }
        var given = [first]
        let minimum = item["minOccurs"]?.int ?? 1
        // An optional item is sometimes left blank.
        while given.count < minimum { if let next = oneAnswer(item) { given.append(next) } }
        return .array(given)
    }

    private mutating func oneAnswer(_ item: JSON) -> JSON? {
        let isRequired = item["required"]?.bool ?? false
        let type = item.itemType
        switch type.form {
        case .options:
            let options = enableWhen.shownOptions(item["answerOption"]?.array ?? [])
            guard isRequired || numbers.chance(0.9) else { return nil }
            guard !options.isEmpty else { return isRequired ? freeText(item) : nil }
            return item["repeats"]?.bool == true
                ? severalOptions(of: options, item) : oneOption(of: options, item)
        case .number where !type.hasUnits:
            guard isRequired || numbers.chance(0.9) else { return nil }
            return number(item)
        case .number:
            guard let unit = item["unitOption"]?.array?.first, isRequired || numbers.chance(0.9) else {
                return nil
            }
            return ["value": number(item), "unit": unit]
        case .ranking:
            let values = (item["answerOption"]?.array ?? []).compactMap { $0["value"] }
            guard isRequired || numbers.chance(0.9) else { return nil }
            let order = values.shuffled(using: &numbers)
            return .array(item["itemControl"]?.string == "pairwise" ? comparisons(of: order) : order)
        case .truth: return .bool(numbers.chance(0.5))
        case .text:
            guard isRequired || numbers.chance(0.2) else { return nil }
            return .string(text(item))
        case .moment:
            guard isRequired else { return nil }
            let usual: [AnswerColumn: String] = [.date: "2026-01-02", .instant: "2026-01-02T08:00:00.000Z"]
            return Self.dateOrTime(usual[type.definition.column] ?? "08:00", item)
        case .location: return person.places.draw(on: date, at: time, from: &numbers)
        case .nothing: return nil
        }
    }

    /// One to three times of day in ascending order, within the range and number that the item permits.
    private mutating func times(_ item: JSON) -> [JSON] {
        let (least, most) = (item["minOccurs"]?.int ?? 1, item["maxOccurs"]?.int ?? 3)
        let count = min(max(Int.random(in: 1...3, using: &numbers), least), max(most, least))
        let hours = (0..<count).map { _ in Int.random(in: 8...21, using: &numbers) }.sorted()
        return hours.map { Self.dateOrTime(($0 < 10 ? "0" : "") + "\($0):00", item) }
    }

    /// A date or time, limited to the item's range. Texts of the same format have the order of time.
    private static func dateOrTime(_ usual: String, _ item: JSON) -> JSON {
        let (least, most) = (item["minValue"]?.string ?? usual, item["maxValue"]?.string ?? usual)
        return .string(usual < least ? least : usual > most ? most : usual)
    }

    /// Compares every pair of options once, consistently with one order.
    private mutating func comparisons(of order: [JSON]) -> [JSON] {
        order.indices.flatMap { better in
            order.indices.dropFirst(better + 1).map { worse in
                let shown = [order[better], order[worse]].shuffled(using: &numbers)
                return [
                    "shown": .array(shown), "choice": order[better],
                    "time_ms": .int(Int(numbers.number(around: 2000, spread: 400))),
                ]
            }
        }
    }

    private mutating func oneOption(of options: [JSON], _ item: JSON) -> JSON? {
        if let likelihoods = likelihoods(of: options, item) { return draw(1, of: options, likelihoods).first }
        let index = Int((position(item) * Double(options.count - 1)).rounded())
        return options[min(max(index, 0), options.count - 1)]["value"]
    }

    /// A text that satisfies the item's length limits and pattern.
    private mutating func text(_ item: JSON) -> String {
        if let match = patternMatch(item) { return match }
        var text = SampleTexts.draw(in: person.language, state: state, from: &numbers)
        while text.unicodeScalars.count < item["minLength"]?.int ?? 0 {
            text += " " + SampleTexts.draw(in: person.language, state: state, from: &numbers)
        }
        guard let maximum = item["maxLength"]?.int, text.unicodeScalars.count > maximum else { return text }
        let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum)))
        return cut.last?.isWhitespace == true ? String(cut.dropLast()) + "." : cut
    }

    /// A text that matches the item's pattern; nil without a pattern, and if no match has a permitted length.
    private mutating func patternMatch(_ item: JSON) -> String? {
        guard let source = item["regex"]?.string else { return nil }
        let minimum = max(1, item["minLength"]?.int ?? 1)
        do throws(PatternFault) {
            return try Pattern(source).example(
                lengths: minimum...max(minimum, item["maxLength"]?.int ?? .max), from: &numbers)
        } catch {
            // A study with an invalid pattern cannot be published.
            return nil
        }
    }

    /// The answer as free text if no option is offered; nil if the item does not permit free text.
    private mutating func freeText(_ item: JSON) -> JSON? {
        guard item.itemType.acceptsFreeText else { return nil }
        let answer: JSON = ["other": .string(text(item))]
        return item["repeats"]?.bool == true ? [answer] : answer
    }

    /// Several options; nil if too few are offered and there is no exclusive option.
    private mutating func severalOptions(of options: [JSON], _ item: JSON) -> JSON? {
        let combinable = options.filter { $0["exclusive"]?.bool != true }
        let (least, most) = (item["minOccurs"]?.int ?? 1, item["maxOccurs"]?.int ?? combinable.count)
        guard combinable.count >= max(least, 1) else {
            let exclusive = options.first { $0["exclusive"]?.bool == true }
            return exclusive?["value"].map { .array([$0]) }
        }
        let count = min(max(numbers.chance(0.4) ? 2 : 1, least), max(most, 1))
        if let likelihoods = likelihoods(of: combinable, item) {
            let drawn = draw(min(count, combinable.count), of: combinable, likelihoods)
            return .array(combinable.compactMap { $0["value"] }.filter { drawn.contains($0) })
        }
        let picked = combinable.shuffled(using: &numbers).prefix(count)
        // In the order of the questionnaire.
        return .array(combinable.filter { picked.contains($0) }.compactMap { $0["value"] })
    }

    /// For each option how likely it is, if the choice depends on a number that was answered; otherwise nil. An option
    /// is most likely if the answer is its number, and half as likely two units away. Each participant prefers some
    /// options.
    private func likelihoods(of options: [JSON], _ item: JSON) -> [Double]? {
        guard let choice = choices[item["linkId"]?.string ?? ""], let answer = answers[choice.near]?.double
        else { return nil }
        return options.map { option in
            let value = option["value"]?.string ?? option["value"]?.int.map(String.init) ?? ""
            guard let number = choice.numbers[value] else { return 0.05 }
            var preference = fixedNumbers(for: value)
            let liking = exp(preference.number(around: 0, spread: 0.6))
            let closeness = 0.02 + exp(-(answer - number) * (answer - number) / 5.8)
            return closeness * liking * (choice.rare.contains(value) ? 0.25 : 1)
        }
    }

    /// A generator that depends only on a name and the participant, so that its numbers are the same every day.
    private func fixedNumbers(for name: String) -> SeededNumbers {
        SeededNumbers(seed: name.utf8.reduce(14_695_981) { $0 &* 31 &+ UInt64($1) }, person.index)
    }

    /// Draws different options by their likelihoods.
    private mutating func draw(_ count: Int, of options: [JSON], _ likelihoods: [Double]) -> [JSON] {
        var remaining = zip(options.map { $0["value"] ?? .null }, likelihoods).map { (value: $0, weight: $1) }
        return (0..<count).map { _ in
            var threshold = Double.random(in: 0..<remaining.reduce(0) { $0 + $1.weight }, using: &numbers)
            let index = remaining.firstIndex { entry in
                threshold -= entry.weight
                return threshold < 0
            }
            return remaining.remove(at: index ?? remaining.count - 1).value
        }
    }

    private mutating func number(_ item: JSON) -> JSON {
        let (least, most) = (item["minValue"]?.double, item["maxValue"]?.double)
        let low = least ?? min(0, (most ?? 10) - 10)
        let high = most ?? max(10, low + 10)
        let step = item["step"]?.double ?? 1
        let isOfScale = directions[item["linkId"]?.string ?? ""] != nil && least != nil && most != nil
        let share =
            isOfScale
            ? position(item)
            : Self.isRating(item)
                ? numbers.number(around: state, spread: 0.07) : numbers.number(around: 0.42, spread: 0.06)
        let wanted = low + (high - low) * min(1, max(0, share))
        let steps = min(((wanted - low) / step).rounded(), ((high - low) / step).rounded(.down))
        // Removes the rounding error of decimal steps.
        return .double(((low + steps * step) * 1e6).rounded() / 1e6)
    }

    /// Whether the item asks for a rating on a line: a slider with two ends and without a unit. Such ratings follow the
    /// course of the participant's state.
    private static func isRating(_ item: JSON) -> Bool {
        ["slider", "visual-analogue-scale"].contains(item["itemControl"]?.string) && item["unit"] == nil
            && item["minValue"] != nil && item["maxValue"] != nil
    }

    /// The fall of the level per day, for the first four weeks.
    private static let drift = (treated: 0.005, untreated: 0.001)

    /// The position of the answer on the item's scale, 0 to 1: the sum of the participant's level of strain, an effect
    /// of participant and item, the drift over the days and a random effect. It is mirrored if high answers mean less
    /// strain.
    private mutating func position(_ item: JSON) -> Double {
        let name = item["linkId"]?.string ?? ""
        var itemNumbers = fixedNumbers(for: name)
        let usual = person.level + itemNumbers.number(around: 0, spread: 0.12)
        let drift = isTreated ? Self.drift.treated : Self.drift.untreated
        let strain = numbers.number(around: usual - drift * Double(min(day, 28)), spread: 0.15)
        let isMirrored = (directions[name] ?? 1) < 0
        return min(1, max(0, isMirrored ? 1 - strain : strain))
    }
}
