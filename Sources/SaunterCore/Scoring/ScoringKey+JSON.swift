extension ScoringKey {
    /// The whole key; what stands at its default is written all the same, so that a later default cannot
    /// change an old digest's meaning.
    package var json: JSON {
        ["version": .string(version), "scales": .array(scales.map(\.json))]
    }

    /// SHA-256 of the canonical form, in hexadecimal: which rule a score came from.
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
        object.add("round", rounding.map { ["places": .int($0.places), "mode": .string($0.mode.rawValue)] })
        object.add("bands", .array(bands.map(\.json)))
        object.add("minimum", minimum.map(JSON.double))
        object.add("maximum", maximum.map(JSON.double))
        object.add("shown_to_participant", .bool(shownToParticipant))
        return .object(object)
    }
}

extension MissingRule {
    fileprivate var json: JSON {
        switch self {
        case .complete: ["rule": "complete"]
        case .prorate(let minimum): ["rule": "prorate", "minimum_answered": .int(minimum)]
        }
    }
}

extension Band {
    fileprivate var json: JSON {
        var object: JSONObject = ["id": .string(id)]
        object.add("from", from.map(JSON.double))
        object.add("below", below.map(JSON.double))
        return .object(object)
    }
}
