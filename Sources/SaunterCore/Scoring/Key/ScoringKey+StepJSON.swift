extension ScoreTransform {
    var json: JSON {
        switch self {
        case .multiply(let number): ["multiply": .double(number)]
        case .divide(let number): ["divide": .double(number)]
        case .add(let number): ["add": .double(number)]
        case .pomp: ["pomp": true]
        case .clamp(let least, let greatest):
            ["clamp": [.optional(least, JSON.double), .optional(greatest, JSON.double)]]
        case .wrap(let modulus): ["wrap": .double(modulus)]
        case .round(let rounding):
            ["round": ["places": .int(rounding.places), "mode": .string(rounding.mode.rawValue)]]
        case .bins(let bins): ["bins": .array(bins.map(\.json))]
        case .lookup(let table): ["lookup": .string(table)]
        case .norm(let table, let form): ["norm": .string(table), "form": .string(form.rawValue)]
        }
    }
}

extension ScoreBin {
    fileprivate var json: JSON {
        var object = JSONObject()
        object.add("from", range.from.map(JSON.double))
        object.add("above", range.above.map(JSON.double))
        object.add("below", range.below.map(JSON.double))
        object.add("up_to", range.upTo.map(JSON.double))
        object.add("value", value.map(JSON.double))
        return .object(object)
    }
}

extension Covariate {
    var json: JSON {
        var object: JSONObject = ["id": .string(id)]
        switch source {
        case .item(let linkId): object.add("item", .string(linkId))
        case .profile: object.add("from", "profile")
        case .enrolment: object.add("from", "enrolment")
        }
        if !codes.isEmpty { object.add("codes", .array(codes.map(JSON.string))) }
        return .object(object)
    }
}

extension LookupTable {
    /// Without its rows: the checksum stands for them.
    var json: JSON { ["id": .string(id), "source": .string(source), "sha256": .string(checksum)] }
}

extension ChangeRule {
    var json: JSON {
        var object: JSONObject = [
            "standard_deviation": .double(standardDeviation), "reliability": .double(reliability),
            "source": .string(source), "baseline": .string(baseline.rawValue),
            "direction": .string(direction.rawValue),
        ]
        object.add("important", important.map(JSON.double))
        return .object(object)
    }
}

extension WindowRule {
    var json: JSON {
        var object: JSONObject = ["id": .string(id), "minimum": .int(minimum)]
        object.add("days", days.map(JSON.int))
        return .object(object)
    }
}
