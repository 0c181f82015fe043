/// How the app of a study looks. The short name and the welcome texts are in `StudyText`.
package struct StudyBrand: Sendable, Hashable {
    /// The icon of the installed app: a square PNG file. Nil = Saunter's icon.
    package var icon: Picture?
    /// Nil = Saunter's green.
    package var accent: AccentColour?
    /// A picture on the page of the study; nil for none.
    package var picture: Picture?
    /// The pictures of questions and answer options, by `pictureKey`.
    package var questionPictures: [String: Picture] = [:]

    /// The linkId of the setting with which participants choose the colours: `system`, `light`, `dark` or a key of
    /// `schemes`. Nil for none.
    package var schemeSetting: String?
    /// Value of the setting -> accent.
    package var schemes: [String: AccentColour] = [:]

    /// Creates a brand; by default that of Saunter.
    package init(
        icon: Picture? = nil, accent: AccentColour? = nil, picture: Picture? = nil,
        schemeSetting: String? = nil, schemes: [String: AccentColour] = [:]
    ) {
        self.schemeSetting = schemeSetting
        self.schemes = schemes
        self.icon = icon
        self.accent = accent
        self.picture = picture
    }

    /// All pictures.
    package var pictures: [Picture] { [icon, picture].compactMap(\.self) + questionPictures.values }

    /// The key of a picture in `questionPictures`.
    /// - Parameter source: the path in the folder of the instrument, such as `media/walk.png`.
    package static func pictureKey(questionnaire: String, version: String, source: String) -> String {
        "\(questionnaire)/\(version)/\(source)"
    }
}
