extension DecisionPoint {
    /// The definition as in `rules.yaml` (`at`): `{"calendar": {"times": ["08:00"]}}`.
    package var definition: JSON {
        switch self {
        case .after(let after): .object(after.definition)
        case .calendar(let calendar): ["calendar": .object(calendar.definition)]
        case .perDay(let perDay):
            [
                "per_day": [
                    "count": perDay.count.definition { .int($0) }, "from": .string(perDay.from.description),
                    "to": .string(perDay.to.description),
                    "minimum_gap": .string(Self.text(perDay.minimumGap)),
                    "spread": .string(perDay.spread.rawValue),
                ]
            ]
        case .adaptive(let adaptive): ["adaptive": adaptive.definition]
        case .cycle(let cycle): ["cycle": .object(cycle.definition)]
        case .entry(let questionnaire): ["entry": .string(questionnaire)]
        case .reached(let reached): .object(reached.definition)
        case .published(let collection): ["published": .string(collection)]
        case .appOpen(let visit): ["app_open": ["once_per": .string(visit.rawValue)]]
        }
    }

    /// A length of time as in a pack: `1d`, `1h30m`.
    fileprivate static func text(_ seconds: Int) -> String {
        var rest = seconds
        var text = ""
        for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] where rest >= length {
            text += "\(rest / length)\(unit)"
            rest %= length
        }
        return text.isEmpty ? "0m" : text
    }
}

extension DecisionPoint.Span {
    fileprivate var definition: JSON {
        switch self {
        case .seconds(let seconds): .string(DecisionPoint.text(seconds))
        case .months(let months): .string("\(months)mo")
        }
    }
}

extension DecisionPoint.Input {
    fileprivate func definition(_ write: (Value) -> JSON) -> JSON {
        switch self {
        case .literal(let value): write(value)
        case .setting(let item): ["setting": .string(item)]
        }
    }
}

extension DecisionPoint.After {
    fileprivate var definition: JSONObject {
        var object: JSONObject = ["after": start.definition, "first_after": firstAfter.definition]
        object["repeat_every"] = repeatEvery?.definition
        object["at_most"] = atMost.map { .int($0) }
        return object
    }
}

extension DecisionPoint.Start {
    fileprivate var definition: JSON {
        switch self {
        case .enrolment: "enrolment"
        case .inactive: "inactive"
        case .event(let code): ["event": .string(code)]
        case .firstCompletion(let questionnaire): ["first_completion": .string(questionnaire)]
        case .lastCompletion(let questionnaire): ["last_completion": .string(questionnaire)]
        case .variable(let id): ["variable": .string(id)]
        }
    }
}

extension DecisionPoint.Calendar {
    fileprivate var definition: JSONObject {
        var object: JSONObject = ["times": .array(times.map { $0.definition { .string($0.description) } })]
        switch days {
        case .every: break
        case .weekdays(let days): object["weekdays"] = .array(days.map { $0.definition { .int($0) } })
        case .ofMonth(let days): object["days_of_month"] = .array(days.map { $0.definition { .int($0) } })
        }
        return object
    }
}

extension DecisionPoint.Adaptive {
    fileprivate var definition: JSON {
        [
            "by": .string(by), "seek": .string(seek.rawValue), "from": .string(from.description),
            "to": .string(to.description), "ahead": .string(DecisionPoint.text(ahead)),
            "needs": ["entries": .int(leastEntries), "days": .int(leastDays)],
            "otherwise": .string(otherwise.description),
        ]
    }
}

extension DecisionPoint.Cycle {
    fileprivate var definition: JSONObject {
        var object: JSONObject = [
            "over": .array(over.map(JSON.string)), "every": .string("\(days)d"),
            "time": .string(time.description),
        ]
        object["since"] = since.map { ["study_date": .string($0.description)] }
        return object
    }
}

extension DecisionPoint.Reached {
    fileprivate var definition: JSONObject {
        var object: JSONObject = ["reached": .string(condition)]
        object["over"] = over.map { .string($0) }
        object["first_after"] = firstAfter?.definition
        return object
    }
}

extension DecisionRule {
    /// The condition of the point `reached`; nil for other points.
    package var reachedCondition: String? {
        if case .reached(let reached) = point { reached.condition } else { nil }
    }

    /// The code of the award, event, alert or report; nil for a message.
    package var actionCode: String? {
        switch action {
        case .message: nil
        case .award(let award): award.code
        case .event(let code), .alert(let code), .report(let code): code
        }
    }
}
