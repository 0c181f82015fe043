import SaunterCore

/// Parses `brand` in `study.yaml`: `{accent: "#2F6F4E", icon: media/icon.png, picture: media/path.webp}`. The member
/// `scheme` names the setting with which participants choose the colours; `schemes` has the accent of its values.
struct BrandParser {
    static let keys = ["accent", "icon", "picture", "scheme", "schemes"]

    let files: PackFiles
    /// The folder of the study, with `/` at the end.
    let folder: String

    /// The paths of the files that a brand names, relative to the folder of the study.
    static func files(of node: YAMLNode) -> [String] {
        ["icon", "picture"].compactMap { node[$0]?.scalar?.text }
    }

    func brand(_ node: YAMLNode, _ log: FaultLog) -> StudyBrand? {
        guard let fields = Fields(node, of: "a brand", keys: Self.keys, log: log) else { return nil }
        return StudyBrand(
            icon: fields.optional("icon", picture), accent: fields.optional("accent", accent),
            picture: fields.optional("picture", picture),
            schemeSetting: fields.optional("scheme") { $0.text($1) },
            schemes: fields.optional("schemes") { node, log in node.table(log) { accent($0, $1) } } ?? [:])
    }

    private func accent(_ node: YAMLNode, _ log: FaultLog) -> AccentColour? {
        guard let text = node.text(log) else { return nil }
        guard let colour = RGBColour(text) else {
            log.note(node.line, "\"\(text.prefix(40))\" is not a colour such as \"#1E6A5B\"")
            return nil
        }
        return AccentColour(colour)
    }

    private func picture(_ node: YAMLNode, _ log: FaultLog) -> MediaFile? {
        guard let path = node.text(log) else { return nil }
        guard path.hasPrefix(PackPath.media), let bytes = files.media(folder + path) else {
            log.note(
                node.line,
                "there is no picture \(path.prefix(80)) in the folder \(PackPath.media) of the study")
            return nil
        }
        guard bytes.count <= MediaFile.maximumBytes(.image) else {
            log.note(node.line, "\(path.prefix(80)) is larger than 256 KiB")
            return nil
        }
        guard let picture = MediaFile(bytes) else {
            log.note(node.line, "\(path.prefix(80)) is not a PNG, JPEG or WebP file")
            return nil
        }
        return picture
    }
}
