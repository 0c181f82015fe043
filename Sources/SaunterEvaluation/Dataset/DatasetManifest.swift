import SaunterCore

/// The contents of `manifest.json`: what a dataset contains and from which state of the study it was made.
package struct DatasetManifest: Sendable {
    /// The code of the study.
    package let study: String
    /// The instant of the snapshot, and 8 digits of the digest of the manifest. Two datasets with the same snapshot
    /// name have the same bytes.
    package let snapshot: String
    /// Identifies the bytes of the dataset; see `DatasetState.tag`. Nil if some committed change had no number yet.
    package let tag: String?
    /// The number of the last change of the study that the dataset includes. Nil if the dataset shows an earlier state,
    /// after which the change feed cannot continue.
    package let changeSequence: Int64?
    /// The instant of the snapshot.
    package let asOf: Instant
    /// The numbers of included and excluded enrolments.
    package let participants: ParticipantCounts
    /// All files except `manifest.json` and `SHA256SUMS`, sorted by path.
    package let files: [DatasetFile]
    /// The contents of the file.
    package let json: JSON

    /// The number of rows per table path, for the audit log.
    package var rows: JSON {
        let tables = files.filter { $0.path.hasPrefix("data/") && $0.rows != nil }
        return .object(
            JSONObject(tables.map { JSONObject.Member(name: $0.path, value: .optional($0.rows, JSON.int)) }))
    }

    /// `saunter_<study>_<snapshot>`: the name of the ZIP archive, without its extension.
    package var name: String { "saunter_\(study)_\(snapshot)" }

    init(
        snapshot: DatasetSnapshot, files: [DatasetFile], request: DatasetRequest, software: String
    ) {
        let definitions = snapshot.definitions
        let profile = snapshot.profile
        let ordered = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        study = definitions.code
        asOf = snapshot.asOf
        participants = snapshot.participants
        self.files = ordered
        let changeSequence = snapshot.isPast ? nil : snapshot.state.changeSequence
        self.changeSequence = changeSequence
        tag = snapshot.state.tag(of: request, software: software)
        let showsStoredTimes = profile == .coded || profile == .full
        var object: JSONObject = [
            "format": 1, "study": .string(definitions.code),
            "study_versions": .array(
                definitions.versions.map { ["version": .string($0.version), "digest": .string($0.digest)] }),
            "snapshot": .null,
            "profile": [
                "name": .string(profile.rawValue), "version": .string(profile.version),
                "measures": .array(profile.measures(of: definitions).map(JSON.string)),
            ],
            "filters": request.filters.json,
            "formats": .array(request.formats.map(\.rawValue).sorted().map(JSON.string)),
            "software": [
                "name": "Saunter", "version": .string(software),
                "scoring_engine": .string(Scoring.engineVersion),
            ],
            "counts": participants.json(profile),
            "strange_zones": .array(showsStoredTimes ? snapshot.unknownZones.map(JSON.string) : []),
            "changes": .array(definitions.instruments.flatMap(Self.changes)),
            "files": .array(ordered.map(\.json)),
        ]
        func snapshotObject(_ id: String) -> JSON {
            [
                "id": .string(id), "as_of": .string(snapshot.asOf.description),
                // A release with new pseudonyms or with counts only cannot be combined with the change feed, and must
                // not reveal how many changes exist.
                "change_seq": showsStoredTimes ? .optional(changeSequence) { .int(Int($0)) } : .null,
            ]
        }
        if snapshot.isPast {
            object["not_restored"] = .array(DatasetRestoration.limits.map(JSON.string))
        }
        object["snapshot"] = snapshotObject("")
        self.snapshot = "\(Self.compact(snapshot.asOf))-\(JSON.object(object).digest.prefix(8))"
        object["snapshot"] = snapshotObject(self.snapshot)
        json = .object(object)
    }

    /// The instant in the form `20261121T080000Z`.
    private static func compact(_ instant: Instant) -> String {
        String(instant.description.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    /// For each version of an instrument: the items that it added and retired, and the columns that the wide files
    /// gained.
    private static func changes(_ instrument: InstrumentHistory) -> [JSON] {
        instrument.versions.indices.dropFirst().compactMap { index in
            let old = instrument.versions[index - 1].questions.map(\.linkId)
            let new = instrument.versions[index].questions.map(\.linkId)
            let added = new.filter { !old.contains($0) }
            let retired = old.filter { !new.contains($0) }
            let oldColumns = Set(columns(instrument, until: index - 1))
            let addedColumns = columns(instrument, until: index).filter { !oldColumns.contains($0) }
            guard !added.isEmpty || !retired.isEmpty || !addedColumns.isEmpty else { return nil }
            return [
                "instrument": .string(instrument.code),
                "version": .string(instrument.versions[index].version),
                "added": .array(added.map(JSON.string)), "retired": .array(retired.map(JSON.string)),
                "columns": .array(addedColumns.map(JSON.string)),
            ]
        }
    }

    /// The column names of the wide files, computed from the versions up to and including `index`.
    private static func columns(_ instrument: InstrumentHistory, until index: Int) -> [String] {
        let history = InstrumentHistory(
            code: instrument.code, published: Array(instrument.versions.prefix(index + 1)))
        return WideTables(of: history).values.columns.map(\.name)
    }
}

extension DatasetFile {
    var json: JSON {
        var object: JSONObject = ["path": .string(path), "bytes": .int(bytes), "sha256": .string(sha256)]
        if let rows { object["rows"] = .int(rows) }
        return .object(object)
    }
}
