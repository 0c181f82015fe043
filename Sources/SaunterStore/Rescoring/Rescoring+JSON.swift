import SaunterCore

extension Rescoring {
    /// The job with the changes so far, by scale.
    package func json(_ scales: [RescoredScale]) -> JSON {
        var object = summary
        object["scales"] = .array(scales.map(\.json))
        return .object(object)
    }

    /// The job without the changes.
    package var json: JSON { .object(summary) }

    private var summary: JSONObject {
        [
            "rescoring_id": .string(id.description), "study": .string(study),
            "study_version": .string(studyVersion), "engine_version": .string(engineVersion),
            "rules_digest": .string(rulesDigest), "cause": .string(cause.rawValue),
            "state": .string(state.rawValue), "progress": .double(progress),
            "requested_at": .string(requestedAt.description),
            "finished_at": .optional(finishedAt) { .string($0.description) },
            "sheets_total": .int(sheetsTotal), "sheets_seen": .int(sheetsSeen), "rows_added": .int(rowsAdded),
            "damaged_sheets": .int(damaged), "failure": .optional(failure, JSON.string),
        ]
    }
}

extension RescoredScale {
    /// Counts and band moves. Differences are absolute, of sheets with a value before and after.
    package var json: JSON {
        [
            "questionnaire": .string(questionnaire), "version": .string(version), "scale": .string(scale),
            "key_version": .string(keyVersion), "key_digest": .string(keyDigest),
            "sheets": .int(counts.sheets), "first_scores": .int(counts.firstScores),
            "unchanged": .int(counts.unchanged), "changed": .int(counts.changed),
            "became_null": .int(counts.becameNull), "gained_value": .int(counts.gainedValue),
            "mean_change": .optional(counts.meanChange, JSON.double),
            "max_change": counts.compared > 0 ? .double(counts.greatestChange) : .null,
            "band_moves": .array(
                moves.map { counted in
                    [
                        "from": .optional(counted.move.from, JSON.string),
                        "to": .optional(counted.move.to, JSON.string), "sheets": .int(counted.sheets),
                    ]
                }),
        ]
    }
}
