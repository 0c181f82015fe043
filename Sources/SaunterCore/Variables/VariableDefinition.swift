extension TailoringVariable {
    /// The definition as in `variables.yaml`, without the parts that have separate columns: the id, who may read it,
    /// and the questionnaires whose receipts contain it.
    package var definition: JSON {
        var object: JSONObject = [:]
        switch kind {
        case .change(let target, let since):
            object["change"] = .string(target)
            object["since"] = since.map(\.json)
        case .keys(let target): object["keys"] = .string(target)
        case .expression(let expression): object["expression"] = .string(expression)
        default:
            var members = source?.json ?? [:]
            switch kind {
            case .at(isOldest: true): members["which"] = "oldest"
            case .top(let most): members["most"] = .int(most)
            case .series(let unit): members["each"] = .string(unit.rawValue)
            case .list(let window): members["active_in"] = window.map(\.json)
            default: break
            }
            object[kind.name] = .object(members)
        }
        object["window"] = window.map(\.json)
        object["by"] = by.map { .string($0.name) }
        object["where"] = condition.map { .string($0) }
        object["least"] = least.map { .int($0) }
        return .object(object)
    }
}

extension TailoringVariable.Window {
    fileprivate var json: JSON {
        switch self {
        case .today: "today"
        case .thisWeek: "this_week"
        case .thisMonth: "this_month"
        case .lastMonth: "last_month"
        case .last(let days, ending: 0): ["last": .string("\(days)d")]
        case .last(let days, let ending): ["last": .string("\(days)d"), "ending": .string("\(ending)d")]
        case .since(let event): ["since": .string(event)]
        case .during(let questionnaire): ["while": .string(questionnaire)]
        }
    }
}

extension TailoringVariable.Source {
    fileprivate var json: JSONObject {
        var object: JSONObject = [:]
        switch self {
        case .entry(let entries):
            let codes = entries.questionnaires.map(JSON.string)
            object["entry"] = codes.count == 1 ? codes[0] : .array(codes)
            switch entries.value {
            case .item(let linkId): object["item"] = .string(linkId)
            case .items(let linkIds): object["items"] = .array(linkIds.map(JSON.string))
            case .scale(let scale): object["scale"] = .string(scale)
            case nil: break
            }
            if entries.isActive { object["active"] = true }
        case .usage(let event, let feature, let isSeconds):
            object["usage"] = .string(event.rawValue)
            object["feature"] = feature.map { .string($0) }
            if isSeconds { object["field"] = "seconds" }
        case .message(let rule, let state):
            object["message"] = .string(rule ?? "any")
            object["state"] = .string(state.rawValue)
        case .occasion(let schedule, let selection):
            object["occasion"] = .string(schedule ?? "any")
            object["state"] = .string(selection.rawValue)
        case .walk(let metric): object["walk"] = .string(metric?.rawValue ?? "any")
        case .observation(let system, let code):
            object["observation"] = .string(code)
            object["system"] = .string(system)
        case .enrolment: object["enrolment"] = "enrolled_at"
        case .event(let event): object["event"] = .string(event)
        }
        return object
    }
}
