import SaunterCore

/// Reads the pictures of questions and answer options from the folders `media` of the instruments. A source without a
/// file is a picture that native apps contain: the web app shows its alternative text.
struct QuestionPictures {
    /// By key; see `StudyBrand.pictureKey`.
    private(set) var pictures: [String: Picture] = [:]
    private(set) var faults: [PackFault] = []

    init(of questionnaires: [Questionnaire], in files: PackFiles) {
        for questionnaire in questionnaires {
            guard let folder = PackPath.instrument(questionnaire.code, questionnaire.version) else {
                continue
            }
            for source in Set(Self.sources(questionnaire.item)).sorted() {
                add(folder, source, questionnaire, files)
            }
        }
    }

    private mutating func add(
        _ folder: String, _ source: String, _ questionnaire: Questionnaire, _ files: PackFiles
    ) {
        guard source.hasPrefix(PackPath.media), let bytes = files.media(folder + source) else { return }
        guard bytes.count <= Picture.maximumBytes, let picture = Picture(bytes) else {
            faults.append(
                PackFault(
                    file: folder + source, line: 1,
                    message: "a picture is a PNG, JPEG or WebP file of at most 256 KiB"))
            return
        }
        let key = StudyBrand.pictureKey(
            questionnaire: questionnaire.code, version: questionnaire.version, source: source)
        pictures[key] = picture
    }

    private static func sources(_ items: [Item]) -> [String] {
        items.flatMap { item in
            ([item.media] + item.answerOption.map(\.media)).compactMap(\.self).filter { $0.kind == .image }
                .map(\.source) + sources(item.item)
        }
    }
}
