import SaunterCore

/// A study as its pack gives it, with every questionnaire that it uses.
package struct StudyPack: Sendable {
    /// With its questionnaires, in the order of the overview.
    package let study: Study
    /// Of the study's own files and those of its instruments; see `PackFiles.digest`.
    package let digest: String
    /// instrument code -> digest of its version's files.
    package let instrumentDigests: [String: String]

    /// Reads a study, or throws all faults of its files and of the instruments that it names. Pure: the same files give the
    /// same pack, so that a stored pack is read again with this.
    /// - Parameter isPublished: it was judged when it was published: what a newer program finds wrong with its meaning takes it from nobody.
    package static func read(
        _ files: PackFiles, study code: String, isPublished: Bool = false
    ) throws(PackFaults) -> StudyPack {
        guard let folder = PackPath.study(code) else {
            let message = "\"\(code.prefix(60))\" is no study code: small letters, digits and -"
            throw PackFaults([PackFault(file: "studies", line: 1, message: message)])
        }
        var reading = StudyReading(files: files, folder: folder)
        guard let study = reading.study(code: code, isJudged: isPublished), reading.faults.isEmpty else {
            throw PackFaults(reading.faults)
        }
        var own = files.folder(folder).files
        var digests: [String: String] = [:]
        for questionnaire in study.questionnaires {
            guard let path = PackPath.instrument(questionnaire.code, questionnaire.version) else { continue }
            let instrument = files.folder(path)
            digests[questionnaire.code] = instrument.digest
            own.merge(instrument.files) { first, _ in first }
        }
        return StudyPack(study: study, digest: PackFiles(files: own).digest, instrumentDigests: digests)
    }
}
