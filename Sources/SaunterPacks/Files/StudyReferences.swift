/// What a study pack refers to outside its own folder, read before anything else is.
enum StudyReferences {
    /// Folders of the instrument versions that `study.yaml` names; words that could not be part of a path are left out and
    /// reported when the pack is read.
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
