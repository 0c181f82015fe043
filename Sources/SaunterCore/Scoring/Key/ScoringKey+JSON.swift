extension ScoringKey {
    /// The key as JSON:
    /// - Lookup tables are represented by their checksums.
    /// - The direction of a scale without a rule for changes is omitted, because no score depends on it.
    /// - Members of the first key format are always written, also with default values. Later members are written only
    ///   if the key uses them, so the digests of older keys stay the same.
    package var json: JSON {
        var object: JSONObject = ["version": .string(version), "scales": .array(scales.map(\.json))]
        if !covariates.isEmpty { object.add("covariates", .array(covariates.map(\.json))) }
        if !tables.isEmpty { object.add("tables", .array(tables.map(\.json))) }
        return .object(object)
    }

    /// SHA-256 of the canonical JSON, in hexadecimal. It identifies the rule that a score was computed with.
    package var digest: String { json.digest }
}

extension Scale {
    fileprivate var json: JSON {
        var object: JSONObject = [
            "id": .string(id), "items": .array(items.map(JSON.string)),
            "reverse": .array(reverse.map(JSON.string)),
            "method": .string(method.rawValue), "missing": missing.json, "factor": .double(factor),
            "offset": .double(offset),
        ]
        object.add("round", rounding?.json)
        object.add("bands", .array(bands.map(\.json)))
        object.add("minimum", minimum.map(JSON.double))
        object.add("maximum", maximum.map(JSON.double))
        object.add("shown_to_participant", .bool(shownToParticipant))
        if isHelper { object.add("helper", true) }
        if !recode.isEmpty {
            let tables = JSONObject(sorting: recode) { .object(JSONObject(sorting: $0, JSON.double)) }
            object.add("recode", .object(tables))
        }
        if !weights.isEmpty { object.add("weights", .object(JSONObject(sorting: weights, JSON.double))) }
        object.add("where", counted?.json)
        if !blanks.isEmpty {
            let named = Dictionary(blanks.map { ($0.key.code, $0.value) }) { first, _ in first }
            object.add("blanks", .object(JSONObject(sorting: named) { $0.json }))
        }
        object.add("unit", unit.map { .string($0.rawValue) })
        if !transform.isEmpty { object.add("transform", .array(transform.map(\.json))) }
        if !exclude.isEmpty { object.add("exclude", .array(exclude.map(\.json))) }
        object.add("change", change?.json)
        if !windows.isEmpty { object.add("windows", .array(windows.map(\.json))) }
        return .object(object)
    }
}

extension Rounding {
    fileprivate var json: JSON { ["places": .int(places), "mode": .string(mode.rawValue)] }
}

extension MissingRule {
    fileprivate var json: JSON {
        switch self {
        case .complete: return ["rule": "complete"]
        case .prorate(let minimum): return ["rule": "prorate", "minimum_answered": .int(minimum)]
        case .exclude: return ["rule": "exclude"]
        case .partial(let needed, let remedy):
            var object: JSONObject = ["rule": .string(remedy.name)]
            switch needed {
            case .count(let count): object.add("minimum_answered", .int(count))
            case .share(let share): object.add("minimum_share", .double(share))
            }
            if case .impute(.constant(let value)) = remedy { object.add("value", .double(value)) }
            return .object(object)
        }
    }
}

extension MissingRemedy {
    /// The name in keys and in datasets.
    package var name: String {
        switch self {
        case .prorate: "prorate"
        case .answered: "answered"
        case .impute(.constant): "impute_constant"
        case .impute(.personMean): "impute_person_mean"
        case .impute(.personMedian): "impute_person_median"
        case .impute(.midpoint): "impute_midpoint"
        }
    }
}

extension BlankRule {
    fileprivate var json: JSON {
        switch self {
        case .counts(let value): .double(value)
        case .leftOut: "leave_out"
        }
    }
}

extension ScoreRange {
    fileprivate var json: JSON { .object(members) }

    fileprivate var members: JSONObject {
        var object = JSONObject()
        object.add("from", from.map(JSON.double))
        object.add("above", above.map(JSON.double))
        object.add("below", below.map(JSON.double))
        object.add("up_to", upTo.map(JSON.double))
        return object
    }
}

extension ScoreCondition {
    fileprivate var json: JSON {
        switch test {
        case .code(let code): return ["of": .string(name), "is": .string(code)]
        case .range(let range):
            var object: JSONObject = ["of": .string(name)]
            for member in range.members { object[member.name] = member.value }
            return .object(object)
        }
    }
}

extension ScoreExclusion {
    fileprivate var json: JSON { ["id": .string(id), "when": .array(conditions.map(\.json))] }
}

extension Band {
    fileprivate var json: JSON {
        var object: JSONObject = ["id": .string(id)]
        for member in range.members { object[member.name] = member.value }
        if !conditions.isEmpty { object.add("when", .array(conditions.map(\.json))) }
        return .object(object)
    }
}

extension ScoreTransform {
    fileprivate var json: JSON {
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
        var object = range.members
        object.add("value", value.map(JSON.double))
        return .object(object)
    }
}

extension Covariate {
    fileprivate var json: JSON {
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
    /// Without the rows: the checksum represents them.
    fileprivate var json: JSON {
        ["id": .string(id), "source": .string(source), "sha256": .string(checksum)]
    }
}

extension ChangeRule {
    fileprivate var json: JSON {
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
    fileprivate var json: JSON {
        var object: JSONObject = ["id": .string(id), "minimum": .int(minimum)]
        object.add("days", days.map(JSON.int))
        return .object(object)
    }
}
