import SaunterCore

/// Fills in a questionnaire from its published structure, as a person with a level and a day would.
struct AnswerMaker {
    let person: Person
    /// Days since enrolment: levels drift a little over a study.
    let day: Int
    private var numbers: SeededNumbers
    private var enableWhen: EnableWhen
    private var answers = JSONObject()

    init(person: Person, day: Int, numbers: SeededNumbers, enableWhen: EnableWhen) {
        self.person = person
        self.day = day
        self.numbers = numbers
        self.enableWhen = enableWhen
    }

    /// - Parameters:
    ///   - questionnaire: as the API gives it.
    ///   - today: the local day on which it is completed.
    static func answers(
        to questionnaire: JSON, by person: Person, day: Int, today: LocalDate, numbers: SeededNumbers
    ) -> JSONObject {
        var maker = AnswerMaker(
            person: person, day: day, numbers: numbers, enableWhen: EnableWhen(questionnaire, on: today))
        maker.fill(questionnaire["item"]?.array ?? [])
        return maker.answers
    }

    private mutating func fill(_ items: [JSON]) {
        for item in items where enableWhen.asks(item) {
            let name = item["linkId"]?.string ?? ""
            // What nobody can set takes its initial value when a sheet leaves it out.
            let isFixed = item["readOnly"]?.bool == true || item["hidden"]?.bool == true
            if let answer = isFixed ? item["initial"] : answer(to: item) {
                if !isFixed { answers[name] = answer }
                enableWhen.note(answer, to: name)
            }
            if !Self.isRepeatingGroup(item) { fill(item["item"]?.array ?? []) }
        }
    }

    private static func isRepeatingGroup(_ item: JSON) -> Bool {
        item["repeats"]?.bool == true && item["type"]?.string == "group"
    }

    /// As many instances of a repeating group as there must be, and one at least.
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
        if Self.isRepeatingGroup(item) { return instances(of: item) }
        guard item["repeats"]?.bool == true, item["answerOption"] == nil else { return single(item) }
        // Of what may be given several times as few as are allowed.
        guard let first = single(item) else { return nil }
        var given = [first]
        let least = item["minOccurs"]?.int ?? 1
        // One that need not be answered is left blank now and then.
        while given.count < least { if let next = single(item) { given.append(next) } }
        return .array(given)
    }

    private mutating func single(_ item: JSON) -> JSON? {
        let isRequired = item["required"]?.bool ?? false
        switch item["type"]?.string {
        case "choice", "open-choice":
            let options = enableWhen.offered(item["answerOption"]?.array ?? [])
            guard isRequired || numbers.chance(0.9) else { return nil }
            guard !options.isEmpty else { return isRequired ? ownWords(item) : nil }
            return item["repeats"]?.bool == true ? several(of: options, item) : one(of: options, item)
        case "integer", "decimal":
            guard isRequired || numbers.chance(0.9) else { return nil }
            return number(item)
        case "quantity":
            guard let unit = item["unitOption"]?.array?.first, isRequired || numbers.chance(0.9) else {
                return nil
            }
            return ["value": number(item), "unit": unit]
        case "ranking":
            let values = (item["answerOption"]?.array ?? []).compactMap { $0["value"] }
            guard isRequired || numbers.chance(0.9) else { return nil }
            let order = values.shuffled(using: &numbers)
            return .array(item["itemControl"]?.string == "pairwise" ? comparisons(of: order) : order)
        case "boolean": return .bool(numbers.chance(0.5))
        case "string", "text":
            guard isRequired || numbers.chance(0.2) else { return nil }
            return .string(words(item))
        case "date" where isRequired: return Self.moment("2026-01-02", item)
        case "dateTime" where isRequired: return Self.moment("2026-01-02T08:00:00.000Z", item)
        case "time" where isRequired: return Self.moment("08:00", item)
        default: return nil
        }
    }

    /// A date or time, or the bound of the item beyond which it lies: as texts of one form they have the order of time.
    private static func moment(_ usual: String, _ item: JSON) -> JSON {
        let (least, most) = (item["minValue"]?.string ?? usual, item["maxValue"]?.string ?? usual)
        return .string(usual < least ? least : usual > most ? most : usual)
    }

    /// Every two of them once, by somebody who knows what comes first.
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

    private mutating func one(of options: [JSON], _ item: JSON) -> JSON? {
        let place = Int((position(item) * Double(options.count - 1)).rounded())
        return options[min(max(place, 0), options.count - 1)]["value"]
    }

    /// As long as the item wants them, and of its form.
    private mutating func words(_ item: JSON) -> String {
        if let formed = formed(item) { return formed }
        var words = Remarks.draw(in: person.language, from: &numbers)
        while words.unicodeScalars.count < item["minLength"]?.int ?? 0 {
            words += " " + Remarks.draw(in: person.language, from: &numbers)
        }
        guard let most = item["maxLength"]?.int, words.unicodeScalars.count > most else { return words }
        let cut = String(String.UnicodeScalarView(words.unicodeScalars.prefix(most)))
        return cut.last?.isWhitespace == true ? String(cut.dropLast()) + "." : cut
    }

    /// A text by the item's pattern; nil without one, and where none can be found that is as long as the item wants.
    private mutating func formed(_ item: JSON) -> String? {
        guard let source = item["regex"]?.string else { return nil }
        let least = max(1, item["minLength"]?.int ?? 1)
        do throws(PatternFault) {
            return try Pattern(source).example(
                lengths: least...max(least, item["maxLength"]?.int ?? .max), from: &numbers)
        } catch {
            // No study with such a pattern is published.
            return nil
        }
    }

    /// Where no option is offered and own words can be given.
    private mutating func ownWords(_ item: JSON) -> JSON? {
        guard item["type"]?.string == "open-choice" else { return nil }
        let answer: JSON = ["other": .string(words(item))]
        return item["repeats"]?.bool == true ? [answer] : answer
    }

    /// Nil where fewer are offered than are wanted, and none that answers alone.
    private mutating func several(of options: [JSON], _ item: JSON) -> JSON? {
        let usual = options.filter { $0["exclusive"]?.bool != true }
        let (least, most) = (item["minOccurs"]?.int ?? 1, item["maxOccurs"]?.int ?? usual.count)
        guard usual.count >= max(least, 1) else {
            let alone = options.first { $0["exclusive"]?.bool == true }
            return alone?["value"].map { .array([$0]) }
        }
        let count = min(max(numbers.chance(0.4) ? 2 : 1, least), max(most, 1))
        let picked = usual.shuffled(using: &numbers).prefix(count)
        // In the order in which they are asked.
        return .array(usual.filter { picked.contains($0) }.compactMap { $0["value"] })
    }

    private mutating func number(_ item: JSON) -> JSON {
        let (least, most) = (item["minValue"]?.double, item["maxValue"]?.double)
        let low = least ?? min(0, (most ?? 10) - 10)
        let high = most ?? max(10, low + 10)
        let step = item["step"]?.double ?? 1
        let wanted = low + (high - low) * min(1, max(0, numbers.number(around: 0.42, spread: 0.06)))
        let steps = min(((wanted - low) / step).rounded(), ((high - low) / step).rounded(.down))
        // Steps of a tenth leave digits behind that nobody has meant.
        return .double(((low + steps * step) * 1e6).rounded() / 1e6)
    }

    /// Where on its scale an item is answered, 0 to 1: the person's level, a leaning of this person to this
    /// item, the drift of the days and the mood of the hour.
    private mutating func position(_ item: JSON) -> Double {
        let name = item["linkId"]?.string ?? ""
        var leaning = SeededNumbers(
            seed: name.utf8.reduce(14_695_981) { $0 &* 31 &+ UInt64($1) }, person.place)
        let usual = person.level + leaning.number(around: 0, spread: 0.12)
        return min(1, max(0, numbers.number(around: usual - 0.008 * Double(day), spread: 0.15)))
    }
}
