import SaunterCore

/// Fills in a questionnaire from its published structure, as a person with a level and a day would.
struct AnswerMaker {
    let person: Person
    /// Days since enrolment: levels drift a little over a study.
    let day: Int
    private var numbers: SeededNumbers
    private var answers = JSONObject()

    init(person: Person, day: Int, numbers: SeededNumbers) {
        self.person = person
        self.day = day
        self.numbers = numbers
    }

    /// - Parameter questionnaire: as the API gives it.
    static func answers(
        to questionnaire: JSON, by person: Person, day: Int, numbers: SeededNumbers
    ) -> JSONObject {
        var maker = AnswerMaker(person: person, day: day, numbers: numbers)
        maker.fill(questionnaire["item"]?.array ?? [])
        return maker.answers
    }

    private mutating func fill(_ items: [JSON]) {
        for item in items where EnableWhen(item).holds(for: answers) {
            let name = item["linkId"]?.string ?? ""
            if item["repeats"]?.bool == true, item["type"]?.string == "group" {
                answers[name] = [instance(of: item)]
                continue
            }
            if let answer = answer(to: item) { answers[name] = answer }
            fill(item["item"]?.array ?? [])
        }
    }

    /// One instance of a repeating group. Its conditions see the instance alone.
    private mutating func instance(of group: JSON) -> JSON {
        let outer = answers
        answers = JSONObject()
        fill(group["item"]?.array ?? [])
        defer { answers = outer }
        return .object(answers)
    }

    private mutating func answer(to item: JSON) -> JSON? {
        guard item["repeats"]?.bool == true, item["answerOption"] == nil else { return single(item) }
        return single(item).map { [$0] }
    }

    private mutating func single(_ item: JSON) -> JSON? {
        let isRequired = item["required"]?.bool ?? false
        switch item["type"]?.string {
        case "choice", "open-choice":
            let options = item["answerOption"]?.array ?? []
            guard !options.isEmpty, isRequired || numbers.chance(0.9) else { return nil }
            return item["repeats"]?.bool == true ? several(of: options) : one(of: options, item)
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
            return .string(Remarks.draw(in: person.language, from: &numbers))
        case "date": return isRequired ? "2026-01-02" : nil
        case "dateTime": return isRequired ? "2026-01-02T08:00:00Z" : nil
        case "time": return isRequired ? "08:00" : nil
        default: return nil
        }
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

    private mutating func several(of options: [JSON]) -> JSON {
        let usual = options.filter { $0["exclusive"]?.bool != true }
        let picked = usual.shuffled(using: &numbers).prefix(numbers.chance(0.4) ? 2 : 1)
        // In the order in which they are asked.
        return .array(usual.filter { picked.contains($0) }.compactMap { $0["value"] })
    }

    private mutating func number(_ item: JSON) -> JSON {
        let (low, high) = (item["minValue"]?.double ?? 0, item["maxValue"]?.double ?? 10)
        let step = item["step"]?.double ?? 1
        let wanted = low + (high - low) * min(1, max(0, numbers.number(around: 0.42, spread: 0.06)))
        let value = low + ((wanted - low) / step).rounded() * step
        return .double(min(high, value))
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
