/// The words of a programme in one language.
package struct ProgrammeText: Sendable, Hashable {
    /// The name of the programme.
    package var title: String
    /// A second line below the title; nil for none.
    package var subtitle: String?
    /// What participants read before the first module, in Markdown; nil for none.
    package var introduction: String?

    /// Creates the words; by default a title only.
    package init(title: String, subtitle: String? = nil, introduction: String? = nil) {
        self.title = title
        self.subtitle = subtitle
        self.introduction = introduction
    }
}

/// A series of practices on one subject. It belongs to the editions of the content library, so that editors can change
/// order, words and pictures without a new version of the study. Its modules are questionnaires of the study version.
package struct Programme: Sendable, Hashable {
    /// Unique in the library. It names the programme in the dataset and is never reused for another one.
    package var code: String
    /// Language -> words.
    package var text: [String: ProgrammeText]
    /// Nil if the programme has no picture.
    package var picture: ContentMedia?
    /// The names of the authors of the texts, in the order of the pack.
    package var authors: [String]
    /// The codes of the practices, in order, each once.
    package var modules: [String]
    /// Whether the programme has left the lists. The entries of its modules stay readable.
    package var isWithdrawn: Bool

    /// Creates a programme; by default without modules.
    package init(
        code: String, text: [String: ProgrammeText], picture: ContentMedia? = nil, authors: [String] = [],
        modules: [String] = [], isWithdrawn: Bool = false
    ) {
        self.code = code
        self.text = text
        self.picture = picture
        self.authors = authors
        self.modules = modules
        self.isWithdrawn = isWithdrawn
    }

    /// The maximum number of programmes in a library.
    package static let maximumCount = 500
    /// The maximum number of modules of a programme.
    package static let maximumModules = 200

    /// The words in a language; those of the first language by name if it has none.
    package func words(in language: String) -> ProgrammeText {
        text[language] ?? text.min { $0.key < $1.key }?.value ?? ProgrammeText(title: code)
    }
}
