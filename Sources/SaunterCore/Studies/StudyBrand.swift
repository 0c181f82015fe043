/// How the app of a study looks. The short name and the welcome texts are in `StudyText`.
package struct StudyBrand: Sendable, Hashable {
    /// The icon of the installed app: a square PNG file. Nil = Saunter's icon.
    package var icon: MediaFile?
    /// Nil = Saunter's green.
    package var accent: AccentColour?
    /// A picture on the page of the study; nil for none.
    package var picture: MediaFile?
    /// The pictures, sounds and films of questions and answer options, by `mediaKey`.
    package var questionMedia: [String: MediaFile] = [:]

    /// The linkId of the setting with which participants choose the colours: `system`, `light`, `dark` or a key of
    /// `schemes`. Nil for none.
    package var schemeSetting: String?
    /// Value of the setting -> accent.
    package var schemes: [String: AccentColour] = [:]

    /// Creates a brand; by default that of Saunter.
    package init(
        icon: MediaFile? = nil, accent: AccentColour? = nil, picture: MediaFile? = nil,
        schemeSetting: String? = nil, schemes: [String: AccentColour] = [:]
    ) {
        self.schemeSetting = schemeSetting
        self.schemes = schemes
        self.icon = icon
        self.accent = accent
        self.picture = picture
    }

    /// All files.
    package var media: [MediaFile] { [icon, picture].compactMap(\.self) + questionMedia.values }

    /// The key of a file in `questionMedia`.
    /// - Parameter source: the path in the folder of the instrument, such as `media/walk.png`.
    package static func mediaKey(questionnaire: String, version: String, source: String) -> String {
        "\(questionnaire)/\(version)/\(source)"
    }
}
