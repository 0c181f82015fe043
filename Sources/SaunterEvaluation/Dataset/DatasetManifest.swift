import SaunterCore

/// What a dataset holds and how it came to be: `manifest.json`.
package struct DatasetManifest: Sendable {
    package let study: String
    /// The moment as of which everything is told, and eight digits of the digest of the whole manifest: two datasets of one name have the same
    /// bytes.
    package let snapshot: String
    /// What a dataset of the same bytes would have as well; nil where something was not numbered yet.
    package let tag: String?
    /// The number of the study's last change that is in it.
    package let changeSequence: Int64
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
        snapshot: DatasetSnapshot, files: [DatasetFile], request: DatasetRequest, software: String
    ) {
        let definitions = snapshot.definitions
        let profile = snapshot.profile
        let ordered = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        study = definitions.code
        asOf = snapshot.asOf
        people = snapshot.people
        self.files = ordered
        changeSequence = snapshot.state.changeSequence
        tag = snapshot.state.tag(of: request, software: software)
        let tellsZones = profile == .coded || profile == .full
        var whole: JSONObject = [
            "format": 1, "study": .string(definitions.code),
            "study_versions": .array(
                definitions.versions.map { ["version": .string($0.version), "digest": .string($0.digest)] }),
            "snapshot": .null,
            "profile": [
                "name": .string(profile.rawValue), "version": .string(profile.version),
                "measures": .array(profile.measures.map(JSON.string)),
            ],
            "filters": request.filters.json,
            "formats": .array(request.formats.map(\.rawValue).sorted().map(JSON.string)),
            "software": [
                "name": "Saunter", "version": .string(software),
                "scoring_engine": .string(Scoring.engineVersion),
            ],
            "counts": people.json(profile),
            "strange_zones": .array(tellsZones ? snapshot.strangeZones.map(JSON.string) : []),
            "changes": .array(definitions.instruments.flatMap(Self.changes)),
            "files": .array(ordered.map(\.json)),
        ]
        func told(_ id: String) -> JSON {
            [
                "id": .string(id), "as_of": .string(snapshot.asOf.description),
                // Whoever has new pseudonyms or counts alone can follow no feed, and need not learn how much there is.
                "change_seq": tellsZones ? .int(Int(snapshot.state.changeSequence)) : .null,
            ]
        }
        whole["snapshot"] = told("")
        self.snapshot = "\(Self.compact(snapshot.asOf))-\(JSON.object(whole).digest.prefix(8))"
        whole["snapshot"] = told(self.snapshot)
        json = .object(whole)
    }

    /// `20261121T080000Z`.
    private static func compact(_ instant: Instant) -> String {
        String(instant.description.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    /// The items that each version of an instrument added and retired, and the columns by which its wide files grew.
    private static func changes(_ instrument: InstrumentHistory) -> [JSON] {
        instrument.versions.indices.dropFirst().compactMap { place in
            let old = instrument.versions[place - 1].questions.map(\.linkId)
            let new = instrument.versions[place].questions.map(\.linkId)
            let added = new.filter { !old.contains($0) }
            let retired = old.filter { !new.contains($0) }
            let header = Set(columns(instrument, until: place - 1))
            let grown = columns(instrument, until: place).filter { !header.contains($0) }
            guard !added.isEmpty || !retired.isEmpty || !grown.isEmpty else { return nil }
            return [
                "instrument": .string(instrument.code),
                "version": .string(instrument.versions[place].version),
                "added": .array(added.map(JSON.string)), "retired": .array(retired.map(JSON.string)),
                "columns": .array(grown.map(JSON.string)),
            ]
        }
    }

    /// The header of the wide files as it was with the versions up to a place.
    private static func columns(_ instrument: InstrumentHistory, until place: Int) -> [String] {
        let history = InstrumentHistory(
            code: instrument.code, published: Array(instrument.versions.prefix(place + 1)))
        return Wide(of: history).values.columns.map(\.name)
    }
}

extension DatasetFile {
    var json: JSON {
        var object: JSONObject = ["path": .string(path), "bytes": .int(bytes), "sha256": .string(sha256)]
        if let rows { object["rows"] = .int(rows) }
        return .object(object)
    }
}
