import SaunterCore

/// Gives the changed parts of a study new version numbers, because a published version never changes.
package struct VersionRaise: Sendable {
    /// A version of a questionnaire that the study uses.
    package struct Reference: Sendable, Hashable {
        package let code: String
        package let version: String
        /// The digest of its files.
        package let digest: String
    }

    /// A version number that changed.
    package struct Step: Sendable, Hashable {
        /// The code of the questionnaire or of the study.
        package let code: String
        package let from: String
        package let to: String

        package init(code: String, from: String, to: String) {
            self.code = code
            self.from = from
            self.to = to
        }
    }

    private let files: PackFiles
    private let study: String
    private let description: JSON

    /// Reads `study.yaml`.
    /// - Throws: the faults of the syntax, if it cannot be read.
    package init(_ files: PackFiles, study: String) throws(PackFaults) {
        self.files = files
        self.study = study
        description = try files.document("studies/\(study)/" + PackPath.study)
    }

    private var path: String { "studies/\(study)/" + PackPath.study }

    /// The versions of questionnaires in `study.yaml` whose files exist, in its order.
    package var references: [Reference] {
        var known: Set<String> = []
        return (description["questionnaires"]?.array ?? []).compactMap { reference in
            guard let code = reference["code"]?.word, let version = reference["version"]?.word,
                let folder = PackPath.instrument(code, version), known.count < PackFiles.maximumFiles,
                known.insert(folder).inserted
            else { return nil }
            let own = files.folder(folder)
            return own.files.isEmpty ? nil : Reference(code: code, version: version, digest: own.digest)
        }
    }

    /// The version of the study; nil if it is none.
    package var version: String? {
        description["version"]?.word.flatMap { PackPath.isVersion($0) ? $0 : nil }
    }

    /// The digest of a publication of these files, as `StudyPack.digest`.
    package var digest: String {
        let library = "studies/\(study)/" + PackPath.library
        return PackFiles(
            files: files.published(study: study).files.filter { !$0.key.hasPrefix(library) }
        ).digest
    }

    /// The patch version after a version; nil if there is none.
    package static func next(after version: String) -> String? {
        var parts = version.split(separator: ".").map { Int($0) }
        guard PackPath.isVersion(version), let patch = parts[2], patch < 99_999 else { return nil }
        parts[2] = patch + 1
        return parts.map { String($0 ?? 0) }.joined(separator: ".")
    }

    /// The files with a new version of a questionnaire. Its folder moves, and `study.yaml` names the new version.
    /// - Throws: the faults of a file whose version cannot be changed in place.
    package func raisingQuestionnaire(_ step: Step) throws(PackFaults) -> PackFiles {
        guard let from = PackPath.instrument(step.code, step.from),
            let to = PackPath.instrument(step.code, step.to)
        else { return files }
        var result: [String: String] = [:]
        for (file, text) in files.files {
            result[file.hasPrefix(from) ? to + file.dropFirst(from.count) : file] = text
        }
        let definition = to + PackPath.questionnaire
        if let text = result[definition] {
            result[definition] = try Self.setting(step.to, at: "/version", in: text, file: definition)
        }
        let references = description["questionnaires"]?.array ?? []
        for (index, reference) in references.enumerated()
        where reference["code"]?.word == step.code && reference["version"]?.word == step.from {
            result[path] = try Self.setting(
                step.to, at: "/questionnaires/\(index)/version", in: result[path] ?? "", file: path)
        }
        return PackFiles(files: result)
    }

    /// The files with a new version of the study.
    /// - Throws: the faults of `study.yaml`, if its version cannot be changed in place.
    package func raisingStudy(to version: String) throws(PackFaults) -> PackFiles {
        var result = files.files
        result[path] = try Self.setting(version, at: "/version", in: files[path] ?? "", file: path)
        return PackFiles(files: result)
    }

    private static func setting(
        _ version: String, at pointer: String, in text: String, file: String
    ) throws(PackFaults) -> String {
        var editor = try YAMLEditor(text, file: file)
        do {
            try editor.set(.string(version), at: pointer)
        } catch {
            throw PackFaults([PackFault(file: file, line: error.line, message: error.message)])
        }
        return editor.text
    }
}
