import SaunterCore

/// Reads the pictures, sounds and films of questions and answer options from the folders `media` of the instruments. A
/// source without a file is one that native apps contain: the web app shows its alternative text.
struct QuestionMedia {
    /// By key; see `StudyBrand.mediaKey`.
    private(set) var files: [String: MediaFile] = [:]
    private(set) var faults: [PackFault] = []

    init(of questionnaires: [Questionnaire], in files: PackFiles) {
        for questionnaire in questionnaires {
            guard let folder = PackPath.instrument(questionnaire.code, questionnaire.version) else {
                continue
            }
            let used = Set(Self.media(questionnaire.item))
            for media in used.sorted(by: { ($0.source, $0.kind.rawValue) < ($1.source, $1.kind.rawValue) }) {
                add(folder, media, questionnaire, files)
            }
        }
    }

    private mutating func add(
        _ folder: String, _ media: Media, _ questionnaire: Questionnaire, _ files: PackFiles
    ) {
        guard media.source.hasPrefix(PackPath.media), let bytes = files.media(folder + media.source) else {
            return
        }
        guard let file = MediaFile(bytes, kind: media.kind.ofFile) else {
            faults.append(
                PackFault(file: folder + media.source, line: 1, message: Self.expectation(media.kind)))
            return
        }
        let key = StudyBrand.mediaKey(
            questionnaire: questionnaire.code, version: questionnaire.version, source: media.source)
        self.files[key] = file
    }

    private static func expectation(_ kind: Media.Kind) -> String {
        switch kind {
        case .image: "a picture is a PNG, JPEG or WebP file of at most 256 KiB"
        case .audio: "a sound is an MP3, Ogg, WAV or M4A file of at most 1 MiB"
        case .video: "a film is an MP4 or WebM file of at most 1 MiB"
        }
    }

    private static func media(_ items: [Item]) -> [Media] {
        items.flatMap { item in
            ([item.media] + item.answerOption.map(\.media)).compactMap(\.self) + media(item.item)
        }
    }
}
