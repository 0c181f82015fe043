import SaunterCore

/// What a dataset holds and how it came to be: `manifest.json`.
package struct DatasetManifest: Sendable {
    package let study: String
    /// The moment as of which everything is told, and eight digits of the digest of all files: the same for
    /// the same content.
    package let snapshot: String
    package let asOf: Instant
    package let people: DatasetPeople
    /// Every file but `manifest.json` and `SHA256SUMS`, in order of paths.
    package let files: [DatasetFile]
    package let json: JSON

    /// Rows by the path of their table, for the audit.
    package var rows: JSON {
        let tables = files.filter { $0.path.hasPrefix("data/") && $0.rows != nil }
        return .object(
            JSONObject(tables.map { JSONObject.Member(name: $0.path, value: .optional($0.rows, JSON.int)) }))
    }

    /// `saunter_<study>_<snapshot>`, for the name of the zip.
    package var name: String { "saunter_\(study)_\(snapshot)" }

    init(
        snapshot: DatasetSnapshot, files: [DatasetFile], filters: DatasetFilters,
        requestedBy: String?, software: String
    ) {
        let definitions = snapshot.definitions
        let profile = snapshot.profile
        let ordered = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        study = definitions.code
        asOf = snapshot.asOf
        people = snapshot.people
        self.files = ordered
        let digest = JSON.array(ordered.map { [.string($0.path), .string($0.sha256)] }).digest
        let tellsZones = profile == .coded || profile == .full
        self.snapshot = "\(Self.compact(snapshot.asOf))-\(digest.prefix(8))"
        json = [
            "format": 1, "study": .string(definitions.code),
            "study_versions": .array(
                definitions.versions.map { ["version": .string($0.version), "digest": .string($0.digest)] }),
            "snapshot": ["id": .string(self.snapshot), "as_of": .string(snapshot.asOf.description)],
            "profile": [
                "name": .string(profile.rawValue), "version": .string(profile.version),
                "measures": .array(profile.measures.map(JSON.string)),
            ],
            "filters": filters.json,
            "requested_by": .optional(requestedBy, JSON.string),
            "software": [
                "name": "Saunter", "version": .string(software),
                "scoring_engine": .string(Scoring.engineVersion),
            ],
            "counts": people.json(profile),
            "strange_zones": .array(tellsZones ? snapshot.strangeZones.map(JSON.string) : []),
            "changes": .array(definitions.instruments.flatMap(Self.changes)),
            "files": .array(ordered.map(\.json)),
        ]
    }

    /// `20261121T080000Z`.
    private static func compact(_ instant: Instant) -> String {
        String(instant.description.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    /// The items that each version of an instrument added and retired.
    private static func changes(_ instrument: InstrumentHistory) -> [JSON] {
        zip(instrument.versions, instrument.versions.dropFirst()).compactMap { before, after in
            let old = before.questions.map(\.linkId)
            let new = after.questions.map(\.linkId)
            let added = new.filter { !old.contains($0) }
            let retired = old.filter { !new.contains($0) }
            guard !added.isEmpty || !retired.isEmpty else { return nil }
            return [
                "instrument": .string(instrument.code), "version": .string(after.version),
                "added": .array(added.map(JSON.string)), "retired": .array(retired.map(JSON.string)),
            ]
        }
    }
}

extension DatasetFile {
    var json: JSON {
        var object: JSONObject = ["path": .string(path), "bytes": .int(bytes), "sha256": .string(sha256)]
        if let rows { object["rows"] = .int(rows) }
        return .object(object)
    }
}
