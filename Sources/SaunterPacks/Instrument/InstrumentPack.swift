import SaunterCore

/// One version of an instrument as its pack gives it.
package struct InstrumentPack: Sendable {
    /// With its words in every language, and its scoring key.
    package let questionnaire: Questionnaire
    /// Of this version's files alone; see `PackFiles.digest`.
    package let digest: String
    /// How many worked cases were run; 0 unless the pack was checked.
    package let vectorCount: Int
    /// What is allowed, and yet most likely a slip.
    package let hints: [PackFault]

    /// Reads one version of an instrument, or throws all faults of its files. Pure: the same files give the same pack.
    package static func read(_ files: PackFiles, code: String, version: String) throws(PackFaults)
        -> InstrumentPack
    {
        try read(files, code: code, version: version, runsVectors: false)
    }

    /// Reads the pack, and runs its worked cases: each score that comes out otherwise is a fault.
    package static func check(_ files: PackFiles, code: String, version: String) throws(PackFaults)
        -> InstrumentPack
    {
        try read(files, code: code, version: version, runsVectors: true)
    }

    private static func read(
        _ files: PackFiles, code: String, version: String, runsVectors: Bool
    ) throws(PackFaults) -> InstrumentPack {
        guard let folder = PackPath.instrument(code, version) else {
            let message = "\"\(code.prefix(60))\" \"\(version.prefix(60))\" is no instrument code and version"
            throw PackFaults([PackFault(file: "instruments", line: 1, message: message)])
        }
        var reading = InstrumentReading(files: files, folder: folder)
        let questionnaire = reading.questionnaire(code: code, version: version)
        var faults = reading.faults
        var vectorCount = 0
        if runsVectors, let questionnaire, faults.isEmpty, questionnaire.scoring != nil {
            let vectors = VectorRun(
                files: files, path: folder + PackPath.vectors, questionnaire: questionnaire)
            (vectorCount, faults) = vectors.run()
        }
        guard let questionnaire, faults.isEmpty else { throw PackFaults(faults) }
        return InstrumentPack(
            questionnaire: questionnaire, digest: files.folder(folder).digest, vectorCount: vectorCount,
            hints: reading.hints)
    }
}
