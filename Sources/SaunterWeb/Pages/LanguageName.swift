import Foundation

/// The names of languages.
enum LanguageName {
    /// The name of a language in another language, such as `German`; its tag if it is not known.
    static func text(_ tag: String, in language: String) -> String {
        Locale(identifier: language).localizedString(forIdentifier: tag) ?? tag
    }
}
