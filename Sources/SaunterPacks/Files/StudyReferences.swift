/// The instruments that a study refers to. They are determined before the study is parsed.
enum StudyReferences {
    /// The folders of the instrument versions in `study.yaml`. Invalid codes and versions are ignored here; the parser
    /// reports them.
    static func folders(of study: String, in files: PackFiles) -> [String] {
        guard let folder = PackPath.study(study), let text = files[folder + PackPath.study],
            let root = YAMLReader.read(text, log: FaultLog(file: folder + PackPath.study)),
            case .sequence(let references)? = root["questionnaires"]?.content
        else { return [] }
        let folders = references.compactMap { reference -> String? in
            guard let code = reference["code"]?.scalar?.text, let version = reference["version"]?.scalar?.text
            else {
                return nil
            }
            return PackPath.instrument(code, version)
        }
        return Array(Set(folders)).sorted()
    }
}

extension PackFiles {
    /// The files that a publication of the study contains: its folder, and the instrument versions that `study.yaml`
    /// names. All files if it names none, because then it has a fault.
    package func published(study code: String) -> PackFiles {
        let folders = StudyReferences.folders(of: code, in: self)
        guard !folders.isEmpty else { return self }
        let all = folders + ["studies/\(code)/"]
        return PackFiles(files: files.filter { path, _ in all.contains { path.hasPrefix($0) } })
    }
}
