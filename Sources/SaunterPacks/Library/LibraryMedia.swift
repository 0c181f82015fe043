import SaunterCore

/// The pictures, sounds and films in the folder `media` of a library.
struct LibraryMedia {
    /// Why a path does not name a file that the library can use.
    struct MediaFault: Error {
        let message: String
    }

    let files: PackFiles
    /// `studies/<code>/library/`.
    let folder: String
    let used: UsedFiles

    /// The file at a path such as `media/control.png`.
    func media(_ path: String, of kind: MediaFormat.Kind?) -> Result<ContentMedia, MediaFault> {
        guard path.hasPrefix(PackPath.media), files[folder + path] != nil else {
            return .failure(
                MediaFault(message: "there is no file \(path.prefix(80)) in library/\(PackPath.media)"))
        }
        used.paths.insert(folder + path)
        guard let media = files.contentMedia(folder + path), media.format.kind == kind else {
            return .failure(
                MediaFault(message: "\(path.prefix(80)) is not \(kind?.words ?? "a media file")"))
        }
        return .success(media)
    }
}

extension MediaFormat.Kind {
    fileprivate var words: String {
        switch self {
        case .image: "a PNG, JPEG or WebP picture"
        case .audio: "an MP3, Ogg, WAV or M4A sound"
        case .video: "an MP4 or WebM film"
        }
    }
}
