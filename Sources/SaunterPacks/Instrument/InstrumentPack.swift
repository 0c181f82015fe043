import SaunterCore

/// One instrument version, read from its pack.
package struct InstrumentPack: Sendable {
    /// The questionnaire with its texts in all languages and its scoring key.
    package let questionnaire: Questionnaire
    /// The digest of the files of this version only; see `PackFiles.digest`.
    package let digest: String
    /// The number of test vectors that were run; 0 unless the pack was checked.
    package let vectorCount: Int
    /// Permitted definitions that are probably mistakes.
    package let hints: [PackFault]

    /// Reads one instrument version. The function is pure: the same files result in the same pack.
    /// - Throws: all faults of the files.
    package static func read(_ files: PackFiles, code: String, version: String) throws(PackFaults)
        -> InstrumentPack
    {
        try read(files, code: code, version: version, runsVectors: false)
    }

    /// Reads one instrument version and runs its test vectors. Each unexpected score is a fault.
    /// - Throws: all faults of the files.
    package static func check(_ files: PackFiles, code: String, version: String) throws(PackFaults)
        -> InstrumentPack
    {
        try read(files, code: code, version: version, runsVectors: true)
    }

    private static func read(
        _ files: PackFiles, code: String, version: String, runsVectors: Bool
    ) throws(PackFaults) -> InstrumentPack {
        guard let folder = PackPath.instrument(code, version) else {
            let message =
                "\"\(code.prefix(60))\" \"\(version.prefix(60))\" is not an instrument code and version"
            throw PackFaults([PackFault(file: "instruments", line: 1, message: message)])
        }
        var parser = InstrumentParser(files: files, folder: folder)
        let questionnaire = parser.questionnaire(code: code, version: version)
        var faults = parser.faults
        var vectorCount = 0
        if runsVectors, let questionnaire, faults.isEmpty, questionnaire.scoring != nil {
            let vectors = VectorRun(
                files: files, path: folder + PackPath.vectors, questionnaire: questionnaire)
            (vectorCount, faults) = vectors.run()
        }
        guard let questionnaire, faults.isEmpty else { throw PackFaults(faults) }
        return InstrumentPack(
            questionnaire: questionnaire, digest: files.folder(folder).digest, vectorCount: vectorCount,
            hints: parser.hints)
    }
}
