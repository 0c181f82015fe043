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

    /// Creates a brand; by default that of Saunter.
    package init(icon: Picture? = nil, accent: AccentColour? = nil, picture: Picture? = nil) {
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
