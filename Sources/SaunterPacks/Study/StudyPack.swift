import SaunterCore

/// A study read from its pack, with all its questionnaires.
package struct StudyPack: Sendable {
    /// The study. Its questionnaires are in the order of the overview.
    package let study: Study
    /// The digest of the study's files and of the files of its instruments; see `PackFiles.digest`.
    package let digest: String
    /// Instrument code -> digest of the files of its version.
    package let instrumentDigests: [String: String]
    /// The content library. Empty for a stored version, because editions are stored separately.
    package let library: Library
    /// The digest of the library's files; nil if the pack has none.
    package let libraryDigest: String?

    /// Reads a study with its instruments. The function is pure: the same files result in the same pack, so a stored
    /// pack is read with the same function.
    /// - Parameter isPublished: whether the study was published before. Then the study rules are not applied again, so
    ///   a newer version of the program cannot reject a published study.
    /// - Throws: all faults of the files.
    package static func read(
        _ files: PackFiles, study code: String, isPublished: Bool = false
    ) throws(PackFaults) -> StudyPack {
        guard let folder = PackPath.study(code) else {
            let message = "\"\(code.prefix(60))\" is not a study code: lower-case letters, digits and -"
            throw PackFaults([PackFault(file: "studies", line: 1, message: message)])
        }
        var parser = StudyParser(files: files, folder: folder)
        guard let study = parser.study(code: code, skipsRules: isPublished), parser.faults.isEmpty else {
            throw PackFaults(parser.faults)
        }
        let library = files.folder(folder + PackPath.library)
        var own = files.folder(folder).files.filter { library[$0.key] == nil }
        var digests: [String: String] = [:]
        for questionnaire in study.questionnaires {
            guard let path = PackPath.instrument(questionnaire.code, questionnaire.version) else { continue }
            let instrument = files.folder(path)
            digests[questionnaire.code] = instrument.digest
            own.merge(instrument.files) { first, _ in first }
        }
        return StudyPack(
            study: study, digest: PackFiles(files: own).digest, instrumentDigests: digests,
            library: parser.library, libraryDigest: library.files.isEmpty ? nil : library.digest)
    }
}
